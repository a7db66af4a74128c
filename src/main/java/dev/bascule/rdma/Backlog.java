package dev.bascule.rdma;

import dev.bascule.ffi.RawWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Stores and bells that wait, in their order, for room in a connection's send queue, each with a copy of what it carries:
 * whoever stored goes on. Parts of the whole copy wait among them. Bounded; memory of the machine's own, in equal slots.
 * <p>
 * Thread rule: one thread at a time; {@link #size} by any. Allocation-free after construction.
 */
final class Backlog {
    /** Entries. */
    static final int SLOTS = 4096;

    private final int slotBytes;
    private final MemorySegment slots;
    private final long[] at = new long[SLOTS];
    private final int[] bytes = new int[SLOTS];
    private long added;
    private long removed;
    private volatile int size;

    /** @param slotBytes that an entry may have */
    Backlog(int slotBytes) {
        this.slotBytes = slotBytes;
        slots = Arena.ofAuto().allocate((long) SLOTS * slotBytes, Long.BYTES);
    }

    int size() {
        return size;
    }

    /**
     * Adds an entry.
     *
     * @param place where it goes at the peer, or what else the user knows it by
     * @param from address of what is copied
     * @param length whole words, bytes; of more than fit a slot there is no copy, only the place
     * @return false if there is no room for it
     */
    boolean add(long place, long from, int length) {
        if (size == SLOTS) {
            return false;
        }
        int slot = (int) (added++ % SLOTS);
        at[slot] = place;
        bytes[slot] = length;
        long to = slots.address() + (long) slot * slotBytes;
        for (int i = 0; length <= slotBytes && i < length; i += Long.BYTES) { // words, which must not be torn
            RawWords.storeRelease(to + i, RawWords.loadAcquire(from + i));
        }
        size = (int) (added - removed);
        return true;
    }

    /** Place of the entry that came first, of those that are there. */
    long place() {
        return at[(int) (removed % SLOTS)];
    }

    /** Bytes of the first entry. */
    int bytes() {
        return bytes[(int) (removed % SLOTS)];
    }

    /** Address of the first entry's copy, which stays as it is until so many more are added. */
    long address() {
        return slots.address() + removed % SLOTS * slotBytes;
    }

    void remove() {
        removed++;
        size = (int) (added - removed);
    }
}
