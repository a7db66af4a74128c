package dev.bascule.agent;

/** Receives every decision that the host has settled: for counters, window histograms and ledgers. */
@FunctionalInterface
public interface DecisionListener {
    /** Ignores everything. */
    DecisionListener NONE = (decision, outcome, enforcedNanos) -> {};

    /**
     * A decision was settled. Called by the thread of the decision's CPU: where CPUs are threads, by several at a time.
     *
     * @param decision valid only during the call
     * @param enforcedNanos when (T3); the window is this minus {@link Transaction#observedNanos}
     */
    void settled(Transaction decision, Outcome outcome, long enforcedNanos);
}
