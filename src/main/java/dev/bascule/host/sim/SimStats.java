package dev.bascule.host.sim;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;

/** What a run measures while it goes. */
final class SimStats implements DecisionListener {
    private static final Outcome[] OUTCOMES = Outcome.values();

    final TimeHistogram[] sojourn;
    final TimeHistogram slowdown = new TimeHistogram();
    final TimeHistogram window = new TimeHistogram();
    final long[] outcomes = new long[OUTCOMES.length];
    private final long warmUpNanos;
    private final long horizonNanos;

    long arrived;
    long finished;
    long rejected;
    long finishedInWindow;
    long arrivedInWindow;
    long preemptions;
    long switches;
    long crossings;
    long workNanos;
    long busyNanos;
    long residentNanos;
    long waitingNanos;
    long idleWithWorkNanos;
    long agentBusyNanos;
    long rounds;
    long steps;

    private long areaNanos;
    private long sojournNanos;
    private long inSystem;
    private long lastNanos;

    SimStats(int classes, long warmUpNanos, long horizonNanos) {
        sojourn = new TimeHistogram[classes];
        for (int i = 0; i < classes; i++) {
            sojourn[i] = new TimeHistogram();
        }
        this.warmUpNanos = warmUpNanos;
        this.horizonNanos = horizonNanos;
    }

    /** Time has come to {@code nowNanos}, with so many CPUs waiting and tasks that could run. */
    void advance(long nowNanos, int waiting, int runnable) {
        long step = nowNanos - lastNanos;
        if (step > 0) {
            areaNanos += inSystem * step;
            waitingNanos += waiting * step;
            idleWithWorkNanos += Math.min(waiting, runnable) * step;
            lastNanos = nowNanos;
        }
    }

    void arrives(long nowNanos, long intendedNanos) {
        arrived++;
        inSystem++;
        sojournNanos -= nowNanos;
        if (intendedNanos >= warmUpNanos) {
            arrivedInWindow++;
        }
    }

    void ends(long nowNanos, long intendedNanos, int jobClass, long demandNanos) {
        finished++;
        inSystem--;
        sojournNanos += nowNanos;
        if (nowNanos >= warmUpNanos && nowNanos < horizonNanos) {
            finishedInWindow++;
        }
        if (intendedNanos >= warmUpNanos) {
            long took = nowNanos - intendedNanos;
            sojourn[jobClass].record(took);
            slowdown.record(took * 100 / demandNanos);
        }
    }

    /** The integral of the number in the system less the sum of times in it: 0 by Little's law, exactly. */
    long littleError(long endNanos) {
        return areaNanos - (sojournNanos + inSystem * endNanos);
    }

    long inSystem() {
        return inSystem;
    }

    @Override
    public void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        outcomes[outcome.ordinal()]++;
        if (outcome == Outcome.COMPLETE) {
            window.record(enforcedNanos - decision.observedNanos());
        }
    }
}
