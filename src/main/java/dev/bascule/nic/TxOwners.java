package dev.bascule.nic;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import org.jspecify.annotations.Nullable;

/**
 * Pools whose packets a transmit queue has sent: where the device sees each, and whom a buffer goes back to; for
 * drivers. A few; each is mapped when its first packet comes. Packets of anything but a pool are copied.
 * <p>
 * Thread rule: that of the queue.
 */
public final class TxOwners implements AutoCloseable {
    private static final int MOST = 16;
    private static final int BUFFER_BITS = 27;
    /** Bits of a remembered buffer that are its index in its pool. */
    public static final int BUFFER_MASK = (1 << BUFFER_BITS) - 1;

    private final AddressSpace space;
    private final PacketPool[] pools = new PacketPool[MOST];
    private final long[] iovas = new long[MOST];
    private int count;
    private @Nullable PacketMemory selected;
    private long selectedIova;
    private long selectedBytes;
    private int selectedNumber;
    private @Nullable PacketBatch copies;

    /**
     * Pools seen in {@code space}, of which the queue's own is the first: its buffers are remembered by their index.
     */
    public TxOwners(AddressSpace space, PacketPool own) {
        this.space = space;
        register(own);
    }

    /** Makes {@code owner} the one that {@link #iova} and {@link #slot} speak of; false if its packets need a copy. */
    public boolean select(PacketMemory owner) {
        return owner == selected || find(owner);
    }

    private boolean find(PacketMemory owner) {
        if (!(owner instanceof PacketPool wanted)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (pools[i] == wanted) {
                return use(i);
            }
        }
        return count < MOST && use(register(wanted));
    }

    private int register(PacketPool pool) {
        if (pool.buffers().capacity() > BUFFER_MASK) {
            throw new DeviceException("transmit", "a pool of " + pool.buffers().capacity() + " packets",
                    "a queue can refer to " + BUFFER_MASK, "use a smaller pool");
        }
        iovas[count] = pool.map(space).value();
        pools[count] = pool;
        return count++;
    }

    private boolean use(int number) {
        selected = pools[number];
        selectedIova = iovas[number];
        selectedBytes = pools[number].segment().byteSize();
        selectedNumber = number << BUFFER_BITS;
        return true;
    }

    /** Address of a packet of the selected owner for the device; one that reaches out of its memory is an exception. */
    public long iova(long offset, int lengthBytes) {
        java.util.Objects.checkFromIndexSize(offset, lengthBytes, selectedBytes);
        return selectedIova + offset;
    }

    /** Where the device sees the selected owner's memory. */
    public long iova() {
        return selectedIova;
    }

    /** How much memory the selected owner has. */
    public long sizeBytes() {
        return selectedBytes;
    }

    /** Mark of the selected owner's buffers in the ring. */
    public int number() {
        return selectedNumber;
    }

    /** Whether two remembered buffers have one owner. Nobody owns {@code NONE}. */
    public static boolean isSame(int slot, int other) {
        return (slot ^ other) >>> BUFFER_BITS == 0;
    }

    /** Pool that a remembered buffer belongs to; its index there is in {@link #BUFFER_MASK}. */
    public PacketPool pool(int slot) {
        return pools[slot >>> BUFFER_BITS];
    }

    /** How the ring remembers a buffer of the selected owner. */
    public int slot(int buffer) {
        return selectedNumber | buffer;
    }

    /** Gives a remembered buffer back. */
    public void give(int slot) {
        pools[slot >>> BUFFER_BITS].buffers().give(slot & BUFFER_MASK);
    }

    /** An empty batch for that many copies in the queue's own buffers. */
    public PacketBatch copies(int most) {
        PacketBatch to = copies;
        if (to == null || to.capacity() < most) {
            to = new PacketBatch(most);
            copies = to;
        }
        return to;
    }

    /** Unmaps all. */
    @Override
    public void close() {
        for (int i = 0; i < count; i++) {
            pools[i].unmap(space);
        }
        count = 0;
        selected = null;
    }
}
