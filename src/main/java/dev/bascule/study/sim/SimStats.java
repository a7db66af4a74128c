package dev.bascule.study.sim;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.host.TimeHistogram;
import java.util.ArrayList;
import java.util.List;

/** Measurements of a run while it goes. */
final class SimStats implements DecisionListener {
    private static final Outcome[] OUTCOMES = Outcome.values();
    private static final int MOST_STARVING = 100;

    final TimeHistogram[] sojourn;
    final TimeHistogram[] slowdown;
    final TimeHistogram window = new TimeHistogram();
    /** Sentences about the first tasks that starved. */
    final List<String> starving = new ArrayList<>();
    long starved;
    final long[] outcomes = new long[OUTCOMES.length];
    private final long warmUpNanos;
    private final long horizonNanos;
    private final long middleNanos;
    private final double[] halfNanos = new double[2];
    private final long[] halfJobs = new long[2];

    long arrived;
    long finished;
    long rejected;
    long finishedInWindow;
    long arrivedInWindow;
    long preemptions;
    long switches;
    long crossings;
    long resumed;
    long workNanos;
    long arrivedWorkNanos;
    long largestNanos;
    long busyNanos;
    long residentNanos;
    /** Of each. */
    final long[] residentsNanos;
    long waitingNanos;
    long idleWithWorkNanos;
    long agentBusyNanos;
    long rounds;
    long steps;

    private long areaNanos;
    private long sojournNanos;
    private long inSystem;
    private long lastNanos;
    private final long[] doneNanos = new long[2];
    private int marks;

    SimStats(int classes, int residents, long warmUpNanos, long horizonNanos) {
        residentsNanos = new long[residents];
        sojourn = new TimeHistogram[classes];
        slowdown = new TimeHistogram[classes];
        for (int i = 0; i < classes; i++) {
            sojourn[i] = new TimeHistogram();
            slowdown[i] = new TimeHistogram();
        }
        this.warmUpNanos = warmUpNanos;
        this.horizonNanos = horizonNanos;
        middleNanos = warmUpNanos + (horizonNanos - warmUpNanos) / 2;
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

    /** Whether the measured part begins or ends now, and the work done by then has to be {@linkplain #mark noted}. */
    boolean isMarkDue(long nowNanos) {
        return marks < 2 && nowNanos >= markNanos();
    }

    long markNanos() {
        return marks == 0 ? warmUpNanos : horizonNanos;
    }

    /** By {@link #markNanos} so much of the jobs' work was done. */
    void mark(long workNanos) {
        doneNanos[marks++] = workNanos;
    }

    /** Work of jobs that was done in the measured part. */
    long doneWorkNanos() {
        return doneNanos[1] - doneNanos[0];
    }

    void arrives(long nowNanos, long intendedNanos, long demandNanos) {
        largestNanos = Math.max(largestNanos, demandNanos);
        if (nowNanos >= warmUpNanos && nowNanos < horizonNanos) {
            arrivedWorkNanos += demandNanos;
        }
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
            int half = intendedNanos < middleNanos ? 0 : 1;
            halfNanos[half] += took;
            halfJobs[half]++;
            slowdown[jobClass].record(took * 100 / demandNanos);
        }
    }

    /** Mean sojourn of the jobs that arrived in the first half of the measured part, and in the second; NaN of none. */
    SimResult.Halves halves() {
        return new SimResult.Halves(halfNanos[0] / halfJobs[0], halfNanos[1] / halfJobs[1]);
    }

    /** The integral of the number in the system less the sum of times in it: 0 by Little's law, exactly. */
    long littleError(long endNanos) {
        return areaNanos - (sojournNanos + inSystem * endNanos);
    }

    void starves(long nowNanos, String what) {
        starved++;
        if (starving.size() < MOST_STARVING) {
            starving.add(nowNanos + " ns: " + what);
        }
    }

    /** The latest event. */
    long reachedNanos() {
        return lastNanos;
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
