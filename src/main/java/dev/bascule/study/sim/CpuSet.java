package dev.bascule.study.sim;

/** A set of CPUs, in order; a bit each. */
final class CpuSet {
    /** No CPU; greater than any. */
    static final int NONE = Integer.MAX_VALUE;

    private final long[] words;

    CpuSet(int cpus) {
        words = new long[(cpus >> 6) + 1];
    }

    void add(int cpu) {
        words[cpu >> 6] |= 1L << cpu;
    }

    void remove(int cpu) {
        words[cpu >> 6] &= ~(1L << cpu);
    }

    /** The first member from {@code from} on; {@link #NONE} if there is none. */
    int next(int from) {
        int word = from >> 6;
        if (word >= words.length) {
            return NONE;
        }
        long left = words[word] & -1L << from;
        while (left == 0) {
            if (++word == words.length) {
                return NONE;
            }
            left = words[word];
        }
        return word << 6 | Long.numberOfTrailingZeros(left);
    }
}
