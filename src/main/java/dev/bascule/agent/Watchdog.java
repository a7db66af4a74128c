package dev.bascule.agent;

/**
 * Two limits on how long the host waits for its agent (Wave §3.2 has one, 20 ms). Past the soft window the host decides
 * by itself, once, and counts it. Past the hard limit the agent is fenced and replaced. Pure; one for each agent.
 * <p>
 * A cold agent is given more than the hard limit: its code is not compiled yet, and on a busy machine it would be fenced
 * again and again before it could show anything. The patience lasts until it has made {@link #WARM_DECISIONS} decisions,
 * doubles with every agent in a row that did not get that far, and is bounded: an agent that never decides, or never
 * even attaches, is found as well. The service does not suffer, because past the soft window the host decides anyway.
 */
public final class Watchdog {
    /** The host's next step. */
    public enum Verdict {
        /** Go on waiting. */
        WAIT,
        /** Decide locally this time. */
        DECIDE_LOCALLY,
        /** Fence the agent and start a new one. */
        FENCE
    }

    /** Decisions after which an agent is no longer cold. */
    public static final int WARM_DECISIONS = 10_000;
    /** How many hard limits a cold agent has: 500 ms where the limit is 20 ms. */
    public static final int COLD_LIMITS = 25;

    private static final int MOST_DOUBLINGS = 3;

    private final long softNanos;
    private final long hardNanos;
    private final long coldNanos;
    private long lastHeartbeat = -1;
    private long lastChangeNanos;
    private long startNanos;
    private boolean started;
    private int decisions;
    private int coldInARow;

    /**
     * With both limits in ns.
     *
     * @throws IllegalArgumentException unless 0 &lt; soft &lt;= hard
     */
    public Watchdog(long softNanos, long hardNanos) {
        this(softNanos, hardNanos, hardNanos * COLD_LIMITS);
    }

    /**
     * A watchdog with another limit for cold agents.
     *
     * @param coldNanos how long the first of them may be silent, the hard limit or more
     */
    public Watchdog(long softNanos, long hardNanos, long coldNanos) {
        if (softNanos <= 0 || hardNanos < softNanos) {
            throw new IllegalArgumentException("watchdog: soft window " + softNanos + " ns and hard limit " + hardNanos
                    + " ns; the soft window must be positive and not above the hard limit");
        }
        this.softNanos = softNanos;
        if (coldNanos < hardNanos) {
            throw new IllegalArgumentException("watchdog: a cold agent's limit of " + coldNanos
                    + " ns; it must not be below the hard limit, " + hardNanos + " ns");
        }
        this.hardNanos = hardNanos;
        this.coldNanos = coldNanos;
    }

    /** A new agent starts: give it the whole limit from now. */
    public void restart(long now) {
        coldInARow = !started || isWarm() ? 0 : Math.min(coldInARow + 1, MOST_DOUBLINGS);
        started = true;
        decisions = 0;
        startNanos = now;
        lastChangeNanos = now;
        lastHeartbeat = -1;
    }

    /**
     * Counts a decision that took effect. Calls from several threads may lose a few counts; warmth needs no exact
     * number.
     */
    public void decided() {
        if (decisions < WARM_DECISIONS) {
            decisions++;
        }
    }

    /** Whether the agent has decided often enough to be held to the hard limit. */
    public boolean isWarm() {
        return decisions == WARM_DECISIONS;
    }

    /** How long the current agent may be silent, ns: the hard limit if it is warm, more if not. */
    public long limitNanos() {
        return isWarm() ? hardNanos : coldNanos << coldInARow;
    }

    /**
     * Whether an agent that is not ready yet should have been by now.
     *
     * @param startLimitNanos how long a start may take; doubled like the patience
     */
    public boolean isLate(long startLimitNanos, long now) {
        return now - startNanos >> coldInARow > startLimitNanos;
    }

    /** Looks at the agent's heartbeat; true when it has made no round for longer than {@link #limitNanos}. */
    public boolean isHung(long heartbeat, long now) {
        if (heartbeat != lastHeartbeat) {
            lastHeartbeat = heartbeat;
            lastChangeNanos = now;
            return false;
        }
        return now - lastChangeNanos > limitNanos();
    }

    /**
     * Verdict on a CPU that waits: the host's next step.
     *
     * @param waitedNanos how long it has waited now, while tasks were runnable
     * @param unansweredNanos how long it has waited in all since the agent's last decision
     */
    public Verdict judge(long waitedNanos, long unansweredNanos) {
        return unansweredNanos > limitNanos()
                ? Verdict.FENCE
                : waitedNanos > softNanos ? Verdict.DECIDE_LOCALLY : Verdict.WAIT;
    }

    /** The soft window, ns. */
    public long softNanos() {
        return softNanos;
    }

    /** The hard limit, ns, to which a warm agent is held. */
    public long hardNanos() {
        return hardNanos;
    }
}
