package dev.bascule.report;

import java.util.List;

/**
 * One point of a load sweep.
 *
 * @param offeredPerSecond requests/s that arrived
 * @param servedPerSecond requests/s that were answered while they arrived
 * @param latency from the intended arrival to the answer, microseconds
 * @param classes the same for each class of requests; empty: not known
 */
public record LoadPoint(double offeredPerSecond, double servedPerSecond, Percentiles latency,
        List<ClassLatency> classes) {
    /** Nothing was measured. */
    public static final LoadPoint NONE = new LoadPoint(Double.NaN, Double.NaN, Percentiles.NONE, List.of());

    /** Copies the list. */
    public LoadPoint {
        classes = List.copyOf(classes);
    }

    /** Whether the service fell behind: more than 5 percent of the load went unanswered meanwhile. */
    boolean isSaturated() {
        return servedPerSecond < 0.95 * offeredPerSecond;
    }
}
