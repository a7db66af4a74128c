package dev.bascule.study.fabric;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Map from an address to the port that answers there. Host memory begins at 0; the registers of devices follow far
 * above.
 */
final class AddressMap {
    private static final long FIRST_DEVICE = 1L << 40;

    /** A port's range. */
    record Range(long base, long sizeBytes, Port port, Target target) {}

    private final TreeMap<Long, Range> ranges = new TreeMap<>();
    private long next = FIRST_DEVICE;

    /** A range at a fixed place. */
    Range put(long base, long sizeBytes, Port port, Target target) {
        Range range = new Range(base, sizeBytes, port, target);
        ranges.put(base, range);
        return range;
    }

    /** A range in the devices' part, at a multiple of its size. */
    Range add(long sizeBytes, Port port, Target target) {
        long unit = Long.highestOneBit(Math.max(4096, 2 * sizeBytes - 1));
        long base = next + unit - 1 & -unit;
        next = base + unit;
        return put(base, sizeBytes, port, target);
    }

    /** The range that holds all these bytes; null if there is none. */
    @Nullable
    Range find(long address, long lengthBytes) {
        Map.Entry<Long, Range> entry = ranges.floorEntry(address);
        if (entry == null) {
            return null;
        }
        Range range = entry.getValue();
        return address - range.base <= range.sizeBytes - lengthBytes ? range : null;
    }
}
