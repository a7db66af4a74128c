package dev.bascule.study.sim;

import dev.bascule.agent.Mechanism;

/** The live host's watchdog in virtual time: since when there is work, and who has been silent for too long. */
final class SimWatch {
    private final SimEvents events;
    private final Mechanism mechanism;
    private final long softNanos;
    private final long hardNanos;
    private long answeredNanos;
    private long workSince;
    private boolean hasWork;
    private boolean armed;

    SimWatch(SimContext context) {
        events = context.events();
        mechanism = context.mechanism();
        softNanos = context.options().softNanos();
        hardNanos = context.options().hardNanos();
    }

    /** Called at every event. */
    void track(long now, int runnable) {
        if (runnable == 0) {
            hasWork = false;
        } else if (!hasWork) {
            hasWork = true;
            workSince = now;
        }
    }

    /** The agent has decided. */
    void answered(long now) {
        answeredNanos = now;
    }

    /** A CPU begins to wait, or work has come: looks again after the soft window, if {@code waitingCpus} could run it. */
    void arm(long now, int waitingCpus) {
        if (!armed && mechanism.runnableCount() > 0 && waitingCpus > 0) {
            armed = true;
            events.at(SimEvent.Single.WATCHDOG, now + softNanos);
        }
    }

    /** Takes the watch's time, which has come; returns whether there is work that waiting CPUs could run. */
    boolean fires(long now, int waitingCpus) {
        armed = false;
        int runnable = mechanism.runnableCount();
        if (runnable == 0 || waitingCpus == 0) {
            return false;
        }
        track(now, runnable);
        return true;
    }

    /** Whether the agents have decided nothing for as long as the hard limit, although there was work. */
    boolean isAgentSilent(long now) {
        return now - Math.max(answeredNanos, workSince) >= hardNanos;
    }

    /** Whether a CPU that has waited since then has waited for longer than the soft window. */
    boolean isOverdue(long waitSince, long now) {
        return now - Math.max(waitSince, workSince) >= softNanos;
    }
}
