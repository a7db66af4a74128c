package dev.bascule.report;

import java.util.List;

/**
 * Result of one transport under the workload. A count of {@link #NOT_MEASURED} or a NaN means that the transport has no
 * such thing or nobody measured it; it is printed as a dash and is null in JSON.
 *
 * @param transport short name: local, wave, swap
 * @param description one line for a person who does not know the name
 * @param capacityPerSecond requests/s that it answered when offered more; NaN: not measured
 * @param seconds how long requests arrived
 * @param requests what became of them
 * @param shown the load point whose latency and window are given
 * @param decisions what became of the agent's decisions
 * @param window from the agent's observation (T1) to the host's enforcement (T3), microseconds
 * @param windowBars the same as a histogram
 * @param resources what it cost
 * @param faults what speaks against calling it the policy's run; may be empty
 * @param curve the load sweep, by rising load; may be empty
 * @param repeats the independent repeats that this is put together from: counts are their sums, figures their means; empty:
 *     it was measured once
 */
public record RunResult(String transport, String description, double capacityPerSecond, double seconds,
        Requests requests, LoadPoint shown,
        Decisions decisions, Percentiles window, List<HistogramBar> windowBars, Resources resources,
        List<RunFault> faults, List<LoadPoint> curve, List<RunResult> repeats) {

    /** A count that does not exist. */
    public static final long NOT_MEASURED = -1;

    /** Measured once. */
    public RunResult(String transport, String description, double capacityPerSecond, double seconds,
            Requests requests, LoadPoint shown, Decisions decisions, Percentiles window,
            List<HistogramBar> windowBars, Resources resources, List<RunFault> faults, List<LoadPoint> curve) {
        this(transport, description, capacityPerSecond, seconds, requests, shown, decisions, window, windowBars,
                resources, faults, curve, List.of());
    }

    /** Independent repeats over one transport, in the order of their seeds, put together. */
    public static RunResult ofRepeats(List<RunResult> repeats) {
        return Repeats.merged(repeats);
    }

    /** Copies the lists. */
    public RunResult {
        windowBars = List.copyOf(windowBars);
        faults = List.copyOf(faults);
        curve = List.copyOf(curve);
        repeats = List.copyOf(repeats);
    }

    /**
     * Counts of requests.
     *
     * @param offered arrived
     * @param served answered
     * @param rejected refused before they started
     * @param lost neither
     * @param duplicated run or answered twice
     * @param wrongAnswers answered with something else than was stored
     */
    public record Requests(long offered, long served, long rejected, long lost, long duplicated, long wrongAnswers) {
        /** Whether each request was answered rightly exactly once, or refused. */
        public boolean isClean() {
            return lost == 0 && duplicated == 0 && wrongAnswers <= 0;
        }
    }

    /**
     * Counts of decisions.
     *
     * @param made enforced decisions of the agent
     * @param stale refused because the task or CPU had changed since the agent looked
     * @param aborted given up for another reason: withdrawn, poisoned, or (swap) an offer reversed by the host
     * @param prestageHits a staged decision was there when a CPU asked
     * @param local taken by the host's own fallback policy
     * @param policyFaults of those that were refused, such as the policy could have known to be impossible
     */
    public record Decisions(long made, long stale, long aborted, long prestageHits, long local, long policyFaults) {
        /** The fallback's part of what was enforced, percent. */
        double fallbackPercent() {
            return made < 0 || local < 0 ? Double.NaN : made + local == 0 ? 0 : 100.0 * local / (made + local);
        }
    }

    /**
     * Costs.
     *
     * @param agentCpuSeconds CPU time of the agent's side
     * @param hostCpuSeconds CPU time of the host's side
     * @param agentRestarts how often the watchdog started the agent anew
     * @param residentBytes largest resident size of both sides together
     */
    public record Resources(double agentCpuSeconds, double hostCpuSeconds, long agentRestarts, long residentBytes) {}

    /** Whether an agent decides: not so where the host's own queue is the scheduler, as a measure of the others. */
    boolean isDelegated() {
        return decisions.made() != NOT_MEASURED;
    }

    /** Whether at some load point more was offered than could be answered. */
    boolean isSaturatedSomewhere() {
        return shown.isSaturated() || curve.stream().anyMatch(LoadPoint::isSaturated);
    }

    /** Whether every request was answered rightly exactly once, and it was the policy that decided. */
    public boolean isRight() {
        return requests.isClean() && faults.isEmpty();
    }

    /** From the intended arrival to the answer, microseconds, at the load point shown. */
    Percentiles latency() {
        return shown.latency();
    }

    /** Latency of one class of requests; nothing recorded if there is no such class. */
    Percentiles latencyOf(String className) {
        return shown.classes().stream().filter(one -> one.name().equals(className)).map(ClassLatency::latency)
                .findFirst().orElse(Percentiles.NONE);
    }

    /** A rate from a count. */
    double perSecond(long count) {
        return count < 0 || !(seconds > 0) ? Double.NaN : count / seconds;
    }
}
