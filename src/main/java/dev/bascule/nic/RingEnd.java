package dev.bascule.nic;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.memory.BufferPool;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a {@link RingNic}: the card's ring, the buffers of which the card holds some, each remembered by
 * its slot, and what is counted. Thread rule: that of the ring.
 */
final class RingEnd implements AutoCloseable {
    private static final int BUFFERS_A_SLOT = 2;

    private final CardRing ring;
    final PacketPool pool;
    final BufferPool buffers;
    final QueueCounters counters = new QueueCounters();
    private final String name;
    final TxOwners owners;
    private final long iova;
    private final int[] held;
    private int head;
    private int tail;
    private @Nullable DeviceException failure;

    /** @param name for messages */
    RingEnd(String name, CardRing ring, AddressSpace space) {
        this.name = name;
        this.ring = ring;
        pool = PacketPool.allocate(space, name, BUFFERS_A_SLOT * ring.slots(), RingCard.BUFFER_BYTES);
        buffers = pool.buffers();
        owners = new TxOwners(space, pool);
        owners.select(pool);
        iova = owners.iova();
        held = new int[ring.slots()];
        Arrays.fill(held, BufferPool.NONE);
        ring.clear();
    }

    /** Throws what stopped the queue, if something did. */
    void requireHealthy() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Frames that the card holds, done or not. */
    int heldCount() {
        return tail - head;
    }

    boolean hasRoom() {
        return tail - head < held.length;
    }

    /** Frames that the card is done with, as it says. */
    int done() {
        return ring.done(head, tail);
    }

    /** Bytes of the oldest of them, as it says. */
    int lengthBytes() {
        return ring.lengthBytes(head);
    }

    /** When the card moved the oldest of them. */
    long timestampNanos() {
        return ring.timestampNanos(head);
    }

    /** Sleeps until the card interrupts, unless it is done with a frame. */
    void sleep(Interrupt vector, long timeoutNanos) {
        ring.arm(head);
        if (done() == 0) { // looks again once it has asked, so that what came in between is not missed
            vector.await(timeoutNanos);
        }
        ring.disarm();
    }

    /** Gives the card a buffer of its own; there is room. */
    void give(int buffer, long offset, int lengthBytes) {
        giveOwned(buffer, iova + offset, lengthBytes);
    }

    /** Gives the card a buffer as {@link TxOwners} remembers it; there is room. */
    void giveOwned(int buffer, long address, int lengthBytes) {
        held[ring.give(tail, address, lengthBytes)] = buffer;
        tail++;
    }

    /** Tells the card about all that was given, by one doorbell at most. */
    void tell() {
        if (ring.tell(tail)) {
            counters.add(QueueCounters.DOORBELLS, 1);
        }
    }

    /**
     * Takes the buffer of the oldest descriptor that is done.
     *
     * @param lengthBytes what the card says it moved
     * @param mostBytes what the buffer holds
     */
    int take(int lengthBytes, int mostBytes) {
        int slot = ring.slot(head);
        if (slot < 0 || slot >= held.length || held[slot] == BufferPool.NONE || lengthBytes > mostBytes) {
            failure = new DeviceException("take from a ring", name, "the device gave back slot " + slot + " with "
                    + lengthBytes + " bytes, which it was not given",
                    "stop and start the card; if it happens again the device is broken");
            throw failure;
        }
        ring.take(slot);
        head++;
        int buffer = held[slot];
        held[slot] = BufferPool.NONE;
        return buffer;
    }

    /** Takes back what the card holds; it is stopped. */
    void clear() {
        for (int slot = 0; slot < held.length; slot++) {
            if (held[slot] != BufferPool.NONE) {
                owners.give(held[slot]);
                held[slot] = BufferPool.NONE;
            }
        }
        head = 0;
        tail = 0;
        failure = null;
        ring.clear();
    }

    @Override
    public void close() {
        owners.close();
        pool.close();
        ring.memory().close();
    }
}
