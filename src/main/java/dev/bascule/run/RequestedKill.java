package dev.bascule.run;

import dev.bascule.host.AgentProcess;
import dev.bascule.host.LiveHost;
import java.util.concurrent.locks.LockSupport;

/**
 * Kills the agent because the user asked for it, and counts what the host decided until the next agent was ready: that
 * is no fault of the policy. A task of an executor; the counts by any thread.
 */
public final class RequestedKill implements Runnable {
    private static final long LOOK_NANOS = 500_000;

    private final LiveHost host;
    private final AgentProcess agent;
    private long fencesBefore;
    private long localBefore = -1;
    private long localAfter = -1;

    RequestedKill(LiveHost host, AgentProcess agent) {
        this.host = host;
        this.agent = agent;
    }

    @Override
    public void run() {
        var before = host.counters();
        synchronized (this) {
            fencesBefore = before.fences();
            localBefore = before.localDecisions();
        }
        agent.crash();
        while (!isReplaced() && host.isAgentExpected() && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        long local = host.counters().localDecisions();
        synchronized (this) {
            localAfter = local;
        }
    }

    private boolean isReplaced() {
        return host.isAgentReady() && host.counters().fences() > fencesBefore;
    }

    /** Fences that the kill has caused so far: 0 or 1. */
    synchronized long fences() {
        return localBefore >= 0 && host.counters().fences() > fencesBefore ? 1 : 0;
    }

    /** Decisions of the host while the agent was away. */
    synchronized long decisions() {
        return localBefore < 0 ? 0 : (localAfter >= 0 ? localAfter : host.counters().localDecisions()) - localBefore;
    }
}
