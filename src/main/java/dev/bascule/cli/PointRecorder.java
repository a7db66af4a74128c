package dev.bascule.cli;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.report.LatencyHistogram;

/**
 * What is recorded while one load point runs: latency of requests from their intended time, the decision window (T1
 * observe to T3 enforce), and outcomes. Reset between points, so that warm-up is not counted.
 */
final class PointRecorder implements DecisionListener {
    private final LatencyHistogram latency = LatencyHistogram.shared();
    private final LatencyHistogram window = LatencyHistogram.single();
    private final long[] outcomes = new long[Outcome.values().length];

    /** A request ended. Any thread. */
    void served(long latencyNanos) {
        latency.record(latencyNanos);
    }

    /** Called under the host's lock. */
    @Override
    public void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        outcomes[outcome.ordinal()]++;
        if (outcome == Outcome.COMPLETE) {
            window.record(enforcedNanos - decision.observedNanos());
        }
    }

    /** Only while no request is under way. */
    void reset() {
        latency.reset();
        window.reset();
        java.util.Arrays.fill(outcomes, 0);
    }

    LatencyHistogram latency() {
        return latency;
    }

    LatencyHistogram window() {
        return window;
    }

    long count(Outcome outcome) {
        return outcomes[outcome.ordinal()];
    }

    long decisions() {
        long sum = 0;
        for (long count : outcomes) {
            sum += count;
        }
        return sum;
    }

    long stale() {
        long sum = 0;
        for (Outcome outcome : Outcome.values()) {
            sum += outcome.isStale() ? outcomes[outcome.ordinal()] : 0;
        }
        return sum;
    }
}
