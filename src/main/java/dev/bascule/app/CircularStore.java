package dev.bascule.app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A lossy key-value store after MICA (Lim et al., NSDI'14, section 4.3): values in one circular log, found through a
 * set-associative index of tags and log positions. New entries overwrite the oldest; an index set that is full forgets
 * its oldest position. Keys are 8 bytes. Not thread-safe: one per core, as keys are partitioned.
 */
public final class CircularStore {
    private static final int WAYS = 8;
    private static final int HEADER_BYTES = 16;

    private final MemorySegment memory;
    private final long logMask;
    private final long[] positions;
    private final int setMask;
    private long tail;

    /**
     * @param logBytes size of the log, a power of two
     * @param sets sets of the index, of eight places each; a power of two
     */
    public CircularStore(long logBytes, int sets) {
        if (Long.bitCount(logBytes) != 1 || logBytes < 4096 || Integer.bitCount(sets) != 1) {
            throw new IllegalArgumentException("store of " + logBytes + " bytes and " + sets
                    + " sets; both must be powers of two, the log at least 4096");
        }
        memory = Arena.ofAuto().allocate(logBytes, 64);
        logMask = logBytes - 1;
        positions = new long[sets * WAYS];
        setMask = sets - 1;
        tail = logBytes; // position 0 means an empty place
    }

    /** Stores a value; false when it is too long for the log. */
    boolean put(long key, MemorySegment from, long offset, int lengthBytes) {
        long size = HEADER_BYTES + (lengthBytes + 7L & -8L);
        if (lengthBytes < 0 || size > logMask / 2) {
            return false;
        }
        long at = tail & logMask;
        if (at + size > logMask + 1) { // entries never cross the end
            tail += logMask + 1 - at;
            at = 0;
        }
        memory.set(ValueLayout.JAVA_LONG, at, key);
        memory.set(ValueLayout.JAVA_LONG, at + 8, lengthBytes);
        MemorySegment.copy(from, offset, memory, at + HEADER_BYTES, lengthBytes);
        index(key, tail);
        tail += size;
        return true;
    }

    private void index(long key, long position) {
        int set = set(key);
        int victim = set;
        for (int i = set; i < set + WAYS; i++) {
            if (holds(positions[i], key)) {
                positions[i] = position;
                return;
            }
            if (positions[i] < positions[victim]) {
                victim = i;
            }
        }
        positions[victim] = position;
    }

    /** Where the value of a key lies in {@link #memory()}; -1 when it is not there (any more). */
    long find(long key) {
        int set = set(key);
        for (int i = set; i < set + WAYS; i++) {
            if (holds(positions[i], key)) {
                return (positions[i] & logMask) + HEADER_BYTES;
            }
        }
        return -1;
    }

    /** Length of the value that lies at {@code offset}, as given by {@link #find}. */
    int lengthBytes(long offset) {
        return (int) memory.get(ValueLayout.JAVA_LONG, offset - 8);
    }

    /** Where the values lie. */
    MemorySegment memory() {
        return memory;
    }

    private boolean holds(long position, long key) {
        return position != 0 && tail - position <= logMask + 1
                && memory.get(ValueLayout.JAVA_LONG, position & logMask) == key;
    }

    private int set(long key) {
        long mixed = key * 0x9E37_79B9_7F4A_7C15L;
        return ((int) (mixed >>> 32) & setMask) * WAYS;
    }
}
