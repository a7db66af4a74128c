package dev.bascule.run;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.host.TimeHistogram;
import dev.bascule.report.ClassLatency;
import dev.bascule.report.Percentiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Record of one load point while it runs: latency of requests from their intended time, the decision window (T1 observe
 * to T3 enforce), and outcomes. Reset between points, so that warm-up is not counted.
 */
public final class PointRecorder implements DecisionListener {
    private final TimeHistogram latency = TimeHistogram.shared();
    private final TimeHistogram[] byClass;
    private final TimeHistogram window = TimeHistogram.shared();
    private final LongAdder[] outcomes = new LongAdder[Outcome.values().length];

    private final PolicyFaults faults;
    private final LongAdder enforced = new LongAdder();

    /** For an enclave of so many tasks, and requests of so many classes. */
    PointRecorder(int tasks, int classes) {
        faults = new PolicyFaults(tasks);
        byClass = new TimeHistogram[classes];
        Arrays.setAll(byClass, one -> TimeHistogram.shared());
        Arrays.setAll(outcomes, outcome -> new LongAdder());
    }

    /** A request ended. Any thread. */
    void served(int ofClass, long latencyNanos) {
        latency.record(latencyNanos);
        byClass[ofClass].record(latencyNanos);
    }

    /** By the threads of all CPUs. */
    @Override
    public void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        outcomes[outcome.ordinal()].increment();
        faults.settled(decision, outcome);
        if (outcome == Outcome.COMPLETE) {
            window.record(enforcedNanos - decision.observedNanos());
            if (decision.startsTask()) {
                enforced.increment();
            }
        }
    }

    /** Only while no request is under way. */
    void reset() {
        latency.reset();
        for (TimeHistogram one : byClass) {
            one.reset();
        }
        window.reset();
        enforced.reset();
        for (LongAdder outcome : outcomes) {
            outcome.reset();
        }
    }

    TimeHistogram latency() {
        return latency;
    }

    /** By class; names in the order of the classes. */
    List<ClassLatency> classes(List<String> names) {
        List<ClassLatency> all = new ArrayList<>();
        for (int i = 0; i < byClass.length; i++) {
            all.add(new ClassLatency(names.get(i), Percentiles.known(byClass[i])));
        }
        return all;
    }

    TimeHistogram window() {
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
