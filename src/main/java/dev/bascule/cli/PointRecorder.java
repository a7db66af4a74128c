package dev.bascule.cli;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.report.LatencyHistogram;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/**
 * What is recorded while one load point runs: latency of requests from their intended time, the decision window (T1
 * observe to T3 enforce), and outcomes. Reset between points, so that warm-up is not counted.
 */
final class PointRecorder implements DecisionListener {
    private final LatencyHistogram latency = LatencyHistogram.shared();
    private final LatencyHistogram window = LatencyHistogram.shared();
    private final LongAdder[] outcomes = new LongAdder[Outcome.values().length];

    private final PolicyFaults faults;
    private final int tasks;
    private final LongAdder enforced = new LongAdder();

    /** For an enclave of so many tasks. */
    PointRecorder(int tasks) {
        this.tasks = tasks;
        faults = new PolicyFaults(tasks);
        Arrays.setAll(outcomes, outcome -> new LongAdder());
    }

    /** A request ended. Any thread. */
    void served(long latencyNanos) {
        latency.record(latencyNanos);
    }

    /** By the threads of all CPUs. */
    @Override
    public void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        outcomes[outcome.ordinal()].increment();
        faults.settled(decision, outcome);
        if (outcome == Outcome.COMPLETE) {
            window.record(enforcedNanos - decision.observedNanos());
            if (decision.task() < tasks) {
                enforced.increment();
            }
        }
    }

    /** Only while no request is under way. */
    void reset() {
        latency.reset();
        window.reset();
        enforced.reset();
        for (LongAdder outcome : outcomes) {
            outcome.reset();
        }
    }

    LatencyHistogram latency() {
        return latency;
    }

    LatencyHistogram window() {
        return window;
    }

    long count(Outcome outcome) {
        return outcomes[outcome.ordinal()].sum();
    }

    /** Decisions of the agent by which a task got a CPU. */
    long enforced() {
        return enforced.sum();
    }

    /** Refused for the policy's fault, since the host started: not reset. */
    PolicyFaults faults() {
        return faults;
    }

    long stale() {
        long sum = 0;
        for (Outcome outcome : Outcome.values()) {
            sum += outcome.isStale() ? count(outcome) : 0;
        }
        return sum;
    }
}
