package dev.bascule.wave;

import java.util.Map;
import java.util.TreeMap;

/** Gives out pieces of a range of memory, lowest first. Not thread-safe. */
final class Extents {
    private final long start;
    private final long end;
    private final TreeMap<Long, Long> used = new TreeMap<>();

    Extents(long start, long end) {
        this.start = start;
        this.end = end;
    }

    /** Offset of a free piece that now is in use; -1 if there is none. */
    long take(long bytes) {
        long at = start;
        for (Map.Entry<Long, Long> piece : used.entrySet()) {
            if (piece.getKey() - at >= bytes) {
                break;
            }
            at = piece.getValue();
        }
        if (end - at < bytes) {
            return -1;
        }
        used.put(at, at + bytes);
        return at;
    }

    void give(long offset) {
        used.remove(offset);
    }
}
