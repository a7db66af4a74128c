package dev.bascule.report;

import java.util.List;

/**
 * One point of a load sweep.
 *
 * @param offeredPerSecond requests/s that arrived
 * @param servedPerSecond requests/s that were answered while they arrived
 * @param latency from the intended arrival to the answer, microseconds
 * @param classes the same for each class of requests; empty: not known
 * @param isSaturated whether that was more than could be answered: the latency is then that of a growing backlog, a
 *        matter of how long it was let grow, and is compared with nothing
 */
public record LoadPoint(double offeredPerSecond, double servedPerSecond, Percentiles latency,
        List<ClassLatency> classes, boolean isSaturated) {
    /** Nothing was measured. */
    public static final LoadPoint NONE = new LoadPoint(Double.NaN, Double.NaN, Percentiles.NONE, List.of(), false);

    /** Copies the list. */
    public LoadPoint {
        classes = List.copyOf(classes);
    }
}
