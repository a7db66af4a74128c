package dev.bascule.host;

import dev.bascule.ffi.WatchedTime;

/**
 * How long a CPU has waited for its agent while work was there. Only time spent waiting counts: not the run time of
 * tasks in between, and not a pause in which the host itself got no core, which shows as time without polls, or as a
 * sleep that ended long after its time. One thread.
 */
final class DecisionWait {
    /** Polls that a wait must have seen before it is held against the agent. */
    private static final int MIN_POLLS = 64;
    /** How many times longer than asked a sleep may last that is held against the agent. */
    private static final int LATE = 4;
    /** No CPU leaves its polls for longer, while it waits. */
    private static final long MOST_NANOS = 5_000_000;

    private final WatchedTime time = new WatchedTime(MOST_NANOS);
    private final WatchedTime window;

    private long sinceNanos;
    private long unansweredNanos;
    private long lastNanos;
    private int polls;
    private int unansweredPolls;

    /** @param softNanos soft window: more than an absence counts as */
    DecisionWait(long softNanos) {
        window = new WatchedTime(Math.max(1, Math.min(MOST_NANOS, softNanos / 2)));
    }

    /** The agent has decided, or there is nothing to decide. */
    void answered() {
        helped();
        unansweredNanos = 0;
        unansweredPolls = 0;
    }

    /** The host decided by itself, or a task ran: the current wait is over, the agent still owes a decision. */
    void helped() {
        sinceNanos = 0;
        polls = 0;
    }

    /** One more poll without a decision; returns true if it is the first of this wait. */
    boolean poll(long nowNanos) {
        long now = time.at(nowNanos);
        long waited = window.at(nowNanos);
        boolean first = sinceNanos == 0;
        if (first) {
            sinceNanos = waited;
        } else {
            unansweredNanos += now - lastNanos;
        }
        lastNanos = now;
        polls++;
        unansweredPolls++;
        return first;
    }

    /**
     * The CPU slept between two polls. A sleep that ended about in time shows as well as many polls do that the host had
     * its core.
     */
    void slept(long askedNanos, long tookNanos) {
        if (isWaiting() && tookNanos <= LATE * askedNanos) {
            polls += MIN_POLLS;
            unansweredPolls += MIN_POLLS;
        }
    }

    /** Whether work is there that the agent has not decided. */
    boolean isWaiting() {
        return sinceNanos != 0;
    }

    /** Length of the current wait, ns; 0 as long as too few polls back it. */
    long waitedNanos(long now) {
        return polls < MIN_POLLS ? 0 : window.at(now) - sinceNanos;
    }

    /** Waiting time since the agent's last decision, ns; 0 as long as too few polls back it. */
    long unansweredNanos() {
        return unansweredPolls < MIN_POLLS ? 0 : unansweredNanos;
    }
}
