package dev.bascule.memory;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Hands out device addresses from the ranges an IOMMU allows, first fit, lowest first. Addresses are unsigned 64-bit;
 * ranges include their last address, so that the top of the address space can be used. Thread-safe, control path.
 */
public final class IovaAllocator {
    private static final Comparator<Long> UNSIGNED = Long::compareUnsigned;

    /** First address to last address of what is free; never adjacent. */
    private final TreeMap<Long, Long> free = new TreeMap<>(UNSIGNED);
    private final TreeMap<Long, Long> allocated = new TreeMap<>(UNSIGNED);
    private final TreeSet<Long> reserved = new TreeSet<>(UNSIGNED);

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
        if (overlaps(free, first, last) || overlaps(allocated, first, last)) {
            throw new IllegalArgumentException(range(first, last) + " overlaps a range that is allowed already");
        }
        release(first, last);
    }

    /**
     * Takes a hole out for good: addresses the platform keeps (MSI windows) or that are given out by other means. Parts
     * that are not allowed anyway are ignored; an overlap with an allocation is an {@link IllegalStateException}.
     */
    public synchronized void reserve(long first, long last) {
        requireRange(first, last);
        for (Map.Entry<Long, Long> taken : allocated.entrySet()) {
            if (intersects(taken, first, last) && !reserved.contains(taken.getKey())) {
                throw new IllegalStateException(
                        range(first, last) + " overlaps " + range(taken.getKey(), taken.getValue()) + " in use");
            }
        }
        Map.Entry<Long, Long> hit = firstIntersecting(first, last);
        while (hit != null) {
            long from = max(first, hit.getKey());
            carve(hit, from, min(last, hit.getValue()));
            reserved.add(from);
            hit = firstIntersecting(first, last);
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
        for (Map.Entry<Long, Long> candidate : free.entrySet()) {
            long start = (candidate.getKey() + alignmentBytes - 1) & -alignmentBytes;
            long end = start + lengthBytes - 1;
            boolean wrapped = Long.compareUnsigned(start, candidate.getKey()) < 0
                    || Long.compareUnsigned(end, start) < 0;
            if (!wrapped && Long.compareUnsigned(end, candidate.getValue()) <= 0) {
                carve(candidate, start, end);
                return start;
            }
        }
        throw new IllegalStateException("no " + lengthBytes + " bytes aligned to " + alignmentBytes
                + " left among the device addresses: " + freeBytesText() + " free, the largest range has "
                + largestText() + "; unmap something or use fewer, larger buffers");
    }

    /** Frees what starts at {@code start}. Anything but the start of an allocation is an exception. */
    public synchronized void free(long start) {
        Long end = reserved.contains(start) ? null : allocated.remove(start);
        if (end == null) {
            throw new IllegalArgumentException("nothing is allocated at 0x" + Long.toHexString(start));
        }
        release(start, end);
    }

    /** Ranges in use, without the reserved ones. */
    public synchronized int allocations() {
        return allocated.size() - reserved.size();
    }

    /** Separate free ranges. */
    synchronized Set<Map.Entry<Long, Long>> freeRanges() {
        return Map.copyOf(free).entrySet();
    }

    private void carve(Map.Entry<Long, Long> from, long start, long end) {
        long first = from.getKey();
        long last = from.getValue();
        free.remove(first);
        if (start != first) {
            free.put(first, start - 1);
        }
        if (end != last) {
            free.put(end + 1, last);
        }
        allocated.put(start, end);
    }

    private void release(long first, long last) {
        long start = first;
        long end = last;
        Map.Entry<Long, Long> below = free.lowerEntry(first);
        if (below != null && below.getValue() + 1 == first) {
            start = below.getKey();
        }
        Long above = last == -1 ? null : free.remove(last + 1);
        if (above != null) {
            end = above;
        }
        free.put(start, end);
    }

    private Map.@Nullable Entry<Long, Long> firstIntersecting(long first, long last) {
        for (Map.Entry<Long, Long> entry : free.entrySet()) {
            if (intersects(entry, first, last)) {
                return entry;
            }
        }
        return null;
    }

    private static boolean overlaps(TreeMap<Long, Long> ranges, long first, long last) {
        return ranges.entrySet().stream().anyMatch(entry -> intersects(entry, first, last));
    }

    private static boolean intersects(Map.Entry<Long, Long> range, long first, long last) {
        return Long.compareUnsigned(range.getKey(), last) <= 0 && Long.compareUnsigned(range.getValue(), first) >= 0;
    }

    private String freeBytesText() {
        return Long.toUnsignedString(free.entrySet().stream().mapToLong(e -> e.getValue() - e.getKey() + 1).sum());
    }

    private String largestText() {
        long largest = 0;
        for (Map.Entry<Long, Long> e : free.entrySet()) {
            largest = max(largest, e.getValue() - e.getKey() + 1);
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
