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

    /** Percentiles of times in ns: the ends of their buckets, as all records of a run have them. */
    public static Percentiles of(TimeHistogram times) {
        long count = times.count();
        return count == 0
                ? NONE
                : new Percentiles(count, times.percentileEnd(50) / 1e3, times.percentileEnd(99) / 1e3,
                        times.percentileEnd(99.9) / 1e3, times.percentileEnd(100) / 1e3);
    }
}
