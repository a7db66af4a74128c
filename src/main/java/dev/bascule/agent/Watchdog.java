package dev.bascule.agent;

/**
 * Two limits on how long the host waits for its agent (Wave §3.2 has one, 20 ms). Past the soft window the host decides
 * by itself, once, and counts it. Past the hard limit the agent is fenced and replaced. Pure; one per enclave.
 */
public final class Watchdog {
    /** What to do. */
    public enum Verdict {
        /** Go on waiting. */
        WAIT,
        /** Decide locally this time. */
        DECIDE_LOCALLY,
        /** Fence the agent and start a new one. */
        FENCE
    }

    private final long softNanos;
    private final long hardNanos;
    private long lastHeartbeat;
    private long lastChangeNanos;

    /**
     * With both limits in ns.
     *
     * @throws IllegalArgumentException unless 0 &lt; soft &lt;= hard
     */
    public Watchdog(long softNanos, long hardNanos) {
        if (softNanos <= 0 || hardNanos < softNanos) {
            throw new IllegalArgumentException("watchdog: soft window " + softNanos + " ns and hard limit " + hardNanos
                    + " ns; the soft window must be positive and not above the hard limit");
        }
        this.softNanos = softNanos;
        this.hardNanos = hardNanos;
    }

    /** A new agent starts: give it the whole hard limit from now. */
    public void restart(long now) {
        lastChangeNanos = now;
        lastHeartbeat = -1;
    }

    /** Looks at the heartbeat; true when the agent has made no round for longer than the hard limit. */
    public boolean isHung(long heartbeat, long now) {
        if (heartbeat != lastHeartbeat) {
            lastHeartbeat = heartbeat;
            lastChangeNanos = now;
            return false;
        }
        return now - lastChangeNanos > hardNanos;
    }

    /**
     * What to do about a CPU.
     *
     * @param waitedNanos how long it has waited now, while tasks were runnable
     * @param unansweredNanos how long it has waited in all since the agent's last decision
     */
    public Verdict judge(long waitedNanos, long unansweredNanos) {
        return unansweredNanos > hardNanos
                ? Verdict.FENCE
                : waitedNanos > softNanos ? Verdict.DECIDE_LOCALLY : Verdict.WAIT;
    }

    /** The soft window, ns. */
    public long softNanos() {
        return softNanos;
    }

    /** The hard limit, ns. */
    public long hardNanos() {
        return hardNanos;
    }
}
