package dev.bascule.loopback;

import java.lang.foreign.MemorySegment;

/**
 * The ranges of a memory that a device may reach by DMA: a table in memory that both processes see, as an IOMMU's page
 * tables are. Layout, little endian, 8-byte words: generation (odd while it is being changed), then {@value #ENTRIES}
 * pairs {start, end}; start equal to end is an empty pair; fault count; last fault.
 * <p>
 * Thread rule: {@code map} and {@code unmap} by one owner; look-ups by anyone.
 */
public final class MappedRanges {
    /** Most ranges at one time. */
    public static final int ENTRIES = 62;

    /** Bytes of the table. */
    public static final long BYTES = 8 + ENTRIES * 16L + 24;

    private static final long FIRST = 8;
    private static final long FAULTS = FIRST + ENTRIES * 16L;

    private final MemorySegment table;

    /** Over {@link #BYTES} bytes of zeroed or already used memory, 8-byte aligned. */
    public MappedRanges(MemorySegment table) {
        this.table = table.asSlice(0, BYTES);
    }

    /**
     * Lets the device reach [offset, offset + lengthBytes).
     *
     * @throws IllegalArgumentException when the range is empty, unaligned to 64 bytes or overlaps a mapped one
     * @throws IllegalStateException when the table is full
     */
    public void map(long offset, long lengthBytes) {
        if (offset < 0 || lengthBytes <= 0 || ((offset | lengthBytes) & 63) != 0 || offset + lengthBytes < 0) {
            throw new IllegalArgumentException("map for DMA: range " + text(offset, lengthBytes)
                    + " is not a non-empty range of whole 64-byte lines");
        }
        long free = -1;
        for (long at = FIRST; at < FAULTS; at += 16) {
            long start = WordAccess.loadAcquire(table, at);
            long end = WordAccess.loadAcquire(table, at + 8);
            if (start == end) {
                free = free < 0 ? at : free;
            } else if (offset < end && start < offset + lengthBytes) {
                throw new IllegalArgumentException("map for DMA: range " + text(offset, lengthBytes)
                        + " overlaps the mapped range " + text(start, end - start) + "; unmap that one first");
            }
        }
        if (free < 0) {
            throw new IllegalStateException("map for DMA: all " + ENTRIES + " ranges are in use; unmap one first");
        }
        change(free, offset, offset + lengthBytes);
    }

    /**
     * Unmaps a range; the device's next access to it is a fault.
     *
     * @throws IllegalArgumentException when no range starts at {@code offset}
     */
    public void unmap(long offset) {
        for (long at = FIRST; at < FAULTS; at += 16) {
            long start = WordAccess.loadAcquire(table, at);
            if (start == offset && WordAccess.loadAcquire(table, at + 8) != start) {
                change(at, 0, 0);
                return;
            }
        }
        throw new IllegalArgumentException("unmap for DMA: no mapped range starts at " + offset);
    }

    /** Accesses outside mapped ranges so far, of every device and process. */
    public long faultCount() {
        return WordAccess.loadAcquire(table, FAULTS);
    }

    /** Offset of the last faulting access; meaningless while {@link #faultCount()} is 0. */
    long lastFaultOffset() {
        return WordAccess.loadAcquire(table, FAULTS + 8);
    }

    /** Whether the last faulting access was a write. */
    boolean lastFaultWasWrite() {
        return WordAccess.loadAcquire(table, FAULTS + 16) != 0;
    }

    void recordFault(long offset, boolean write) {
        WordAccess.storeRelease(table, FAULTS + 8, offset);
        WordAccess.storeRelease(table, FAULTS + 16, write ? 1 : 0);
        WordAccess.getAndAdd(table, FAULTS, 1);
    }

    long generation() {
        return WordAccess.loadAcquire(table, 0);
    }

    /** Address of the pair that holds the offset, or -1. The caller compares the generation before and after. */
    long find(long offset) {
        for (long at = FIRST; at < FAULTS; at += 16) {
            if (offset >= WordAccess.loadAcquire(table, at) && offset < WordAccess.loadAcquire(table, at + 8)) {
                return at;
            }
        }
        return -1;
    }

    long start(long pair) {
        return WordAccess.loadAcquire(table, pair);
    }

    long end(long pair) {
        return WordAccess.loadAcquire(table, pair + 8);
    }

    private void change(long pair, long start, long end) {
        long generation = generation();
        WordAccess.storeVolatile(table, 0, generation | 1);
        WordAccess.storeVolatile(table, pair, start);
        WordAccess.storeVolatile(table, pair + 8, end);
        WordAccess.storeVolatile(table, 0, (generation | 1) + 1);
    }

    private static String text(long offset, long lengthBytes) {
        return "[" + offset + ", +" + lengthBytes + ")";
    }
}
