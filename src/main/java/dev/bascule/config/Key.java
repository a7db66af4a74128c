package dev.bascule.config;

import java.util.List;

/**
 * One key of the schema.
 *
 * @param path
 *            section and name, joined by a dot; a bare name for keys at the top
 * @param type
 *            what it takes
 * @param min
 *            smallest value (counts, bytes, nanoseconds)
 * @param max
 *            largest value
 * @param powerOfTwo
 *            whether only powers of two are taken
 * @param fallback
 *            default as a file would say it; empty means none (text) or required (word)
 * @param words
 *            what a choice may be, the default among them
 */
record Key(String path, ValueType type, long min, long max, boolean powerOfTwo, String fallback,
        List<String> words) {
    Key(String path, ValueType type, long min, long max, boolean powerOfTwo, String fallback) {
        this(path, type, min, max, powerOfTwo, fallback, List.of());
    }

    /** The part before the dot, empty at the top. */
    String section() {
        int dot = path.indexOf('.');
        return dot < 0 ? "" : path.substring(0, dot);
    }

    /** The part after the dot. */
    String name() {
        return path.substring(path.indexOf('.') + 1);
    }

    boolean required() {
        return type == ValueType.WORD;
    }
}
