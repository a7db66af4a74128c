package dev.bascule.report;

import dev.bascule.host.TimeHistogram;

/**
 * Percentiles of a distribution of times, microseconds. All NaN when nothing was recorded.
 *
 * @param count values recorded
 * @param p50 median
 * @param p99 99 of 100 are not above
 * @param p999 999 of 1000 are not above
 * @param max largest
 */
public record Percentiles(long count, double p50, double p99, double p999, double max) {
    /** Nothing was recorded. */
    static final Percentiles NONE = new Percentiles(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    private static final int BEYOND = 10;
    private static final int LEAST_MEMORIES = 100;

    /** Meaning of a dash where a percentile would stand, for readers of a table. */
    public static final String RULE = "A percentile is given when ten figures lie beyond it: p50 of 20 figures on, p99"
            + " of 1,000, p99.9 of 10,000; a dash stands for others.";

    /** How many values a percentile needs, so that ten lie beyond it. */
    public static long needs(double percent) {
        return Math.round(BEYOND * 100 / (100 - percent));
    }

    /**
     * Length that a run needs beside what its queue remembers, so that a 95 % interval over such runs holds the true
     * value in 95 of 100 cases: what lies beyond a percentile comes in few long stretches, and ten are wanted, as ten
     * figures are. Of M/M/1, five such runs do so in 93 to 97 % of cases; of a tenth of the length, in 88 to 91 %.
     *
     * @return 100 for the mean and the median, 1,000 for p99, 10,000 for p99.9
     */
    public static double memories(double percent) {
        return Math.max(LEAST_MEMORIES, Math.rint(BEYOND * 100 / (100 - percent)));
    }

    /** Percentiles {@link #of} times in ns; NaN are those that {@link #needs more} times. */
    public static Percentiles known(TimeHistogram times) {
        Percentiles all = of(times);
        return new Percentiles(all.count, all.known(50, all.p50), all.known(99, all.p99), all.known(99.9, all.p999),
                all.max);
    }

    private double known(double percent, double value) {
        return count < needs(percent) ? Double.NaN : value;
    }

    /** Percentiles of times in ns. */
    public static Percentiles of(TimeHistogram times) {
        long count = times.count();
        return count == 0
                ? NONE
                : new Percentiles(count, times.percentile(50) / 1e3, times.percentile(99) / 1e3,
                        times.percentile(99.9) / 1e3, times.percentile(100) / 1e3);
    }
}
