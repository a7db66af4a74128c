package dev.bascule.nic;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.BufferPool;
import dev.bascule.memory.DmaBuffer;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Packet buffers that cards reach by DMA: one memory, cut into buffers of one size, mapped into the address space of
 * every card that packets pass between. With {@code -Dbascule.debug=true} every buffer's ownership is checked, see
 * {@link BufferPool}.
 * <p>
 * Thread rule: taking and giving on one thread; mapping and closing is for the control path.
 */
public final class PacketPool implements PacketMemory, AutoCloseable {
    private final DmaBuffer memory;
    private final MemorySegment segment;
    private final BufferPool buffers;
    private final Map<AddressSpace, Use> uses = new IdentityHashMap<>();
    private boolean closed;

    /** One address space's mapping and how many cards rely on it. */
    private record Use(Iova iova, int count) {}

    private PacketPool(DmaBuffer memory, int count, int bufferBytes) {
        this.memory = memory;
        this.segment = memory.segment();
        this.buffers = new BufferPool(segment.asSlice(0, (long) count * bufferBytes), bufferBytes);
    }

    /**
     * Allocates.
     *
     * @param name for messages and {@code /proc}
     * @param count buffers
     * @param bufferBytes size of each, a multiple of 64
     */
    public static PacketPool allocate(String name, int count, int bufferBytes) {
        requireShape(name, count, bufferBytes);
        return new PacketPool(DmaBuffer.allocate(name, (long) count * bufferBytes, DmaBuffer.Locking.PREFERRED), count,
                bufferBytes);
    }

    /** Allocates a pool in memory that can be mapped in an address space in one piece. */
    public static PacketPool allocate(AddressSpace space, String name, int count, int bufferBytes) {
        requireShape(name, count, bufferBytes);
        return new PacketPool(space.allocate(name, (long) count * bufferBytes), count, bufferBytes);
    }

    private static void requireShape(String name, int count, int bufferBytes) {
        if (count < 1 || bufferBytes < 64 || bufferBytes % 64 != 0) {
            throw new IllegalArgumentException(
                    name + ": " + count + " buffers of " + bufferBytes + " bytes; their size is a multiple of 64");
        }
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    /** The buffers; a packet's token is its buffer's index. */
    public BufferPool buffers() {
        return buffers;
    }

    @Override
    public void release(PacketBatch batch, int from, int to) {
        for (int i = from; i < to; i++) {
            buffers.give((int) batch.token(i));
        }
    }

    /**
     * Appends up to {@code count} free buffers to {@code batch}, each with all of its length.
     *
     * @return how many there were
     */
    public int take(PacketBatch batch, int count) {
        batch.openFor(this);
        int wanted = Math.min(count, batch.room());
        for (int i = 0; i < wanted; i++) {
            int buffer = buffers.take();
            if (buffer == BufferPool.NONE) {
                return i;
            }
            batch.add(buffer, buffers.offset(buffer), buffers.bufferBytes(), 0);
        }
        return wanted;
    }

    /** Makes it reachable in an address space; each call is undone by one {@link #unmap}. */
    public synchronized Iova map(AddressSpace space) {
        Use use = uses.get(space);
        Iova iova = use != null
                ? use.iova
                : space.map(new MappableMemory(memory.segment(), memory.fileDescriptor(), 0), DmaDirection.BOTH);
        uses.put(space, new Use(iova, use == null ? 1 : use.count + 1));
        return iova;
    }

    /** Undoes one {@link #map}; after the last one no device of that address space reaches the memory. */
    public synchronized void unmap(AddressSpace space) {
        Use use = uses.get(space);
        if (use == null) {
            throw new IllegalStateException("a pool of packets is not mapped in that address space");
        }
        if (use.count > 1) {
            uses.put(space, new Use(use.iova, use.count - 1));
            return;
        }
        uses.remove(space);
        space.unmap(use.iova);
        if (closed && uses.isEmpty()) {
            memory.close();
        }
    }

    /** Frees the memory, once no card has it mapped any more: packets may still be waiting to be sent. */
    @Override
    public synchronized void close() {
        closed = true;
        if (uses.isEmpty()) {
            memory.close();
        }
    }
}
