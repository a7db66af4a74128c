package dev.bascule.run;

import dev.bascule.report.ClassLatency;
import dev.bascule.report.HistogramBar;
import dev.bascule.report.Percentiles;
import dev.bascule.workload.RequestLedger;
import java.util.List;

/**
 * One load point of one transport, as measured.
 *
 * @param load offered load as a part of capacity
 * @param offeredPerSecond offered requests/s
 * @param arrivalSeconds how long requests arrived
 * @param seconds from the first arrival to the last answer
 * @param requests counts by the ledger
 * @param latency from the intended time
 * @param classes latency of each class of requests
 * @param window observe (T1) to enforce (T3)
 * @param windowBars the same as a histogram
 * @param decisions enforced decisions of the agent: a task got a CPU
 * @param stale decisions of the agent that were refused because the world had moved on
 * @param aborted taken back or voided
 * @param prestageHits decisions that were there when their CPU first looked
 * @param localDecisions decisions of the host's built-in policy
 * @param preemptions tasks taken off their CPU
 * @param fences agents fenced
 * @param agentCpuSeconds CPU time of the agent
 * @param hostCpuSeconds CPU time of the host process, polling included
 * @param hostBusySeconds of these, inside tasks
 */
public record PointResult(double load, double offeredPerSecond, double arrivalSeconds, double seconds,
        RequestLedger.Summary requests,
        Percentiles latency, List<ClassLatency> classes, Percentiles window, List<HistogramBar> windowBars,
        long decisions, long stale,
        long aborted,
        long prestageHits,
        long localDecisions, long preemptions, long fences, double agentCpuSeconds, double hostCpuSeconds,
        double hostBusySeconds) {
    private static final double ANSWERED = 0.95;

    /** Requests answered per second, from the first arrival to the last answer. */
    public double servedPerSecond() {
        return requests.completed() / seconds;
    }

    /**
     * Whether more was offered than could be answered: more than the capacity, or 5 percent went unanswered meanwhile.
     *
     * @param capacityPerSecond what was answered when more was offered, requests/s; NaN: not measured
     */
    public boolean isSaturated(double capacityPerSecond) {
        return offeredPerSecond > capacityPerSecond
                || servedPerSecond() < ANSWERED * requests.issued() / arrivalSeconds;
    }
}
