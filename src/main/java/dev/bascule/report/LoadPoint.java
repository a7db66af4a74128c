package dev.bascule.report;

/**
 * One point of a load sweep.
 *
 * @param offeredPerSecond requests/s that arrived
 * @param servedPerSecond requests/s that were answered while they arrived
 * @param latency from the intended arrival to the answer, microseconds
 */
public record LoadPoint(double offeredPerSecond, double servedPerSecond, Percentiles latency) {
    /** Nothing was measured. */
    public static final LoadPoint NONE = new LoadPoint(Double.NaN, Double.NaN, Percentiles.NONE);

    /** Whether the service fell behind: more than 5 percent of the load went unanswered meanwhile. */
    boolean isSaturated() {
        return servedPerSecond < 0.95 * offeredPerSecond;
    }
}
