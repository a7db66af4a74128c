package dev.bascule.device;

import java.util.List;

/**
 * One implemented base address register of a PCI function.
 *
 * @param index 0 to 5; a 64-bit BAR also takes the next index
 * @param sizeBytes a power of two, at least 16
 * @param wide whether it is a 64-bit BAR
 * @param prefetchable whether reads have no side effects, so that it may be mapped write-combining or write-through
 * @param mappable the areas that can be mapped as memory; empty when every access must go through {@link Registers}
 */
public record Bar(int index, long sizeBytes, boolean wide, boolean prefetchable, List<Area> mappable) {
    /**
     * A mappable part of a BAR.
     *
     * @param offset bytes from the start of the BAR
     * @param lengthBytes its length
     */
    public record Area(long offset, long lengthBytes) {
        boolean contains(long from, long bytes) {
            return from >= offset && bytes >= 0 && from - offset <= lengthBytes - bytes;
        }
    }

    /** Checks index, size and areas; {@link IllegalArgumentException} if one does not fit. */
    public Bar {
        if (index < 0 || index > 5 || wide && index > 4) {
            throw new IllegalArgumentException("BAR " + index + (wide ? " (64 bit)" : "") + " does not exist");
        }
        if (sizeBytes < 16 || Long.bitCount(sizeBytes) != 1) {
            throw new IllegalArgumentException("BAR " + index + ": size " + sizeBytes + " is not a power of two >= 16");
        }
        mappable = List.copyOf(mappable);
        for (Area area : mappable) {
            if (area.offset < 0 || area.lengthBytes <= 0 || area.offset > sizeBytes - area.lengthBytes) {
                throw new IllegalArgumentException("BAR " + index + ": mappable " + area + " lies outside");
            }
        }
    }

    /** A BAR that only {@link Registers} reach. */
    public static Bar registers(int index, long sizeBytes) {
        return new Bar(index, sizeBytes, false, false, List.of());
    }

    /** A 64-bit prefetchable BAR that is memory from end to end. */
    public static Bar memory(int index, long sizeBytes) {
        return new Bar(index, sizeBytes, true, true, List.of(new Area(0, sizeBytes)));
    }

    /** Whether [offset, offset + lengthBytes) can be mapped as memory. */
    public boolean isMappable(long offset, long lengthBytes) {
        for (int i = 0; i < mappable.size(); i++) { // hosts of models ask at every access: no stream, no iterator
            if (mappable.get(i).contains(offset, lengthBytes)) {
                return true;
            }
        }
        return false;
    }
}
