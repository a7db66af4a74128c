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

    /** Meaning of a dash where a percentile would stand, for readers of a table. */
    public static final String RULE = "A percentile is given when ten figures lie beyond it: p50 of 20 figures on, p99"
            + " of 1,000, p99.9 of 10,000; a dash stands for others.";

    /** How many values a percentile needs, so that ten lie beyond it. */
    static long needs(double percent) {
        return Math.round(BEYOND * 100 / (100 - percent));
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

    /** Percentiles of times in ns: the ends of their buckets, as all records of a run have them. */
    public static Percentiles of(TimeHistogram times) {
        long count = times.count();
        return count == 0
                ? NONE
                : new Percentiles(count, times.percentileEnd(50) / 1e3, times.percentileEnd(99) / 1e3,
                        times.percentileEnd(99.9) / 1e3, times.percentileEnd(100) / 1e3);
    }
}
