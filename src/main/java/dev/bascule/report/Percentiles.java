package dev.bascule.report;

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
}
