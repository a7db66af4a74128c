package dev.bascule.memory;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Hands out device addresses from the ranges an IOMMU allows, first fit, lowest first. Addresses are unsigned 64-bit;
 * ranges include their last address, so that the top of the address space can be used. Thread-safe, control path;
 * allocating and freeing leave no garbage.
 */
public final class IovaAllocator {
    private enum Use {
        FREE, ALLOCATED, RESERVED
    }

    /** Never adjacent. */
    private final RangeMap<Use> free = new RangeMap<>();
    private final RangeMap<Use> taken = new RangeMap<>();
    private int allocations;

    /** Without any range; add those the IOMMU allows. */
    public IovaAllocator() {}

    /** Everything from {@code first} to {@code last}, both included. */
    public static IovaAllocator of(long first, long last) {
        IovaAllocator allocator = new IovaAllocator();
        allocator.allow(first, last);
        return allocator;
    }

    /** Adds an allowed range; an overlap with an earlier one is an {@link IllegalArgumentException}. */
    public synchronized void allow(long first, long last) {
        requireRange(first, last);
        if (free.overlapping(first, last) >= 0 || taken.overlapping(first, last) >= 0) {
            throw new IllegalArgumentException(range(first, last) + " overlaps a range that is allowed already");
        }
        release(first, last);
    }

    /**
     * Reserves addresses for good: those the platform keeps (MSI windows) or that are assigned by other means. Parts
     * that are not allowed anyway are ignored; an overlap with an allocation is an {@link IllegalStateException}.
     */
    public synchronized void reserve(long first, long last) {
        requireRange(first, last);
        for (int i = Math.max(0, taken.overlapping(first, last)); i < taken.size()
                && Long.compareUnsigned(taken.first(i), last) <= 0; i++) {
            if (taken.value(i) != Use.RESERVED && Long.compareUnsigned(taken.last(i), first) >= 0) {
                throw new IllegalStateException(
                        range(first, last) + " overlaps " + range(taken.first(i), taken.last(i)) + " in use");
            }
        }
        int hit = free.overlapping(first, last);
        while (hit >= 0) {
            carve(hit, max(first, free.first(hit)), min(last, free.last(hit)), Use.RESERVED);
            hit = free.overlapping(first, last);
        }
    }

    /**
     * Allocates {@code lengthBytes} at a multiple of {@code alignmentBytes} (a power of two). No room is an
     * {@link IllegalStateException} that says what is left.
     */
    public synchronized long allocate(long lengthBytes, long alignmentBytes) {
        if (lengthBytes <= 0 || alignmentBytes <= 0 || Long.bitCount(alignmentBytes) != 1) {
            throw new IllegalArgumentException(lengthBytes + " bytes aligned to " + alignmentBytes);
        }
        for (int i = 0; i < free.size(); i++) {
            long start = (free.first(i) + alignmentBytes - 1) & -alignmentBytes;
            long end = start + lengthBytes - 1;
            boolean wrapped = Long.compareUnsigned(start, free.first(i)) < 0 || Long.compareUnsigned(end, start) < 0;
            if (!wrapped && Long.compareUnsigned(end, free.last(i)) <= 0) {
                carve(i, start, end, Use.ALLOCATED);
                allocations++;
                return start;
            }
        }
        throw new IllegalStateException("no " + lengthBytes + " bytes aligned to " + alignmentBytes
                + " left among the device addresses: " + freeBytesText() + " free, the largest range has "
                + largestText() + "; unmap something or use fewer, larger buffers");
    }

    /** Frees what starts at {@code start}. Anything but the start of an allocation is an exception. */
    public synchronized void free(long start) {
        if (!tryFree(start)) {
            throw new IllegalArgumentException("nothing is allocated at 0x" + Long.toHexString(start));
        }
    }

    /** As {@link #free}, false if no allocation starts there. */
    public synchronized boolean tryFree(long start) {
        int index = taken.startingAt(start);
        if (index < 0 || taken.value(index) != Use.ALLOCATED) {
            return false;
        }
        long end = taken.last(index);
        taken.remove(index);
        allocations--;
        release(start, end);
        return true;
    }

    /** Ranges in use, without the reserved ones. */
    synchronized int allocations() {
        return allocations;
    }

    /** Separate free ranges. */
    synchronized Set<Map.Entry<Long, Long>> freeRanges() {
        Map<Long, Long> ranges = new TreeMap<>();
        for (int i = 0; i < free.size(); i++) {
            ranges.put(free.first(i), free.last(i));
        }
        return ranges.entrySet();
    }

    private void carve(int from, long start, long end, Use use) {
        long first = free.first(from);
        long last = free.last(from);
        if (start != first) {
            free.resize(from, first, start - 1);
            if (end != last) {
                free.add(end + 1, last, Use.FREE);
            }
        } else if (end != last) {
            free.resize(from, end + 1, last);
        } else {
            free.remove(from);
        }
        taken.add(start, end, use);
    }

    private void release(long first, long last) {
        int below = free.floor(first);
        int above = below + 1;
        boolean joinsBelow = below >= 0 && free.last(below) + 1 == first;
        boolean joinsAbove = above < free.size() && free.first(above) - 1 == last;
        if (joinsBelow) {
            long end = joinsAbove ? free.last(above) : last;
            if (joinsAbove) {
                free.remove(above);
            }
            free.resize(below, free.first(below), end);
        } else if (joinsAbove) {
            free.resize(above, first, free.last(above));
        } else {
            free.add(first, last, Use.FREE);
        }
    }

    private String freeBytesText() {
        long bytes = 0;
        for (int i = 0; i < free.size(); i++) {
            bytes += free.lengthBytes(i);
        }
        return Long.toUnsignedString(bytes);
    }

    private String largestText() {
        long largest = 0;
        for (int i = 0; i < free.size(); i++) {
            largest = max(largest, free.lengthBytes(i));
        }
        return Long.toUnsignedString(largest) + " bytes";
    }

    private static long max(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? a : b;
    }

    private static long min(long a, long b) {
        return Long.compareUnsigned(a, b) <= 0 ? a : b;
    }

    private static void requireRange(long first, long last) {
        if (Long.compareUnsigned(first, last) > 0) {
            throw new IllegalArgumentException("range from 0x" + Long.toHexString(first) + " down to 0x"
                    + Long.toHexString(last));
        }
    }

    private static String range(long first, long last) {
        return "0x" + Long.toHexString(first) + "-0x" + Long.toHexString(last);
    }
}
