package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import java.util.List;

/**
 * Looks after the agent of a host whose CPUs are not this process': starts it, fences one that is silent, dead or broken,
 * starts another in its place, and carries upgrades out.
 * <p>
 * Thread rule: {@link #incidents} and {@link #hasGivenUp} any thread, the rest one thread.
 */
public final class AgentWatch implements AutoCloseable {
    private final MechanismEnd end;
    private final AgentKeepers keepers;

    /**
     * A watch that has not begun.
     *
     * @param options its soft window and hard limit
     */
    public AgentWatch(MechanismEnd end, LiveOptions options, AgentSupervisor supervisor) {
        this.end = end;
        keepers = new AgentKeepers(end, options, List.of(supervisor));
    }

    /** Starts the agent. */
    public void begin(long nowNanos) {
        keepers.begin(nowNanos);
    }

    /**
     * Looks, about every millisecond.
     *
     * @param unansweredNanos how long CPUs have been without an answer of the agent, ns; 0 if none waits
     * @return whether the agent was fenced: what it had decided is void, and the next epoch is open
     */
    public boolean look(long nowNanos, long unansweredNanos) {
        String trouble = keepers.trouble(0, nowNanos);
        if (trouble == null) {
            trouble = keepers.silence(0, unansweredNanos);
        }
        if (trouble == null) {
            return false;
        }
        end.openEpoch(0);
        keepers.replace(0, trouble, nowNanos);
        return true;
    }

    /** Whether the agent decides, as of the last look. */
    public boolean isReady() {
        return keepers.areReady();
    }

    /** One of its decisions is in force. */
    public void decided() {
        keepers.decided(0);
    }

    /** Says what happened. */
    public void note(String what) {
        keepers.note(what);
    }

    /** Whether no more agents are started. */
    public boolean hasGivenUp() {
        return keepers.hasGivenUp();
    }

    /** Agents fenced so far because they were dead, silent or broken. */
    public long fences() {
        return keepers.fences();
    }

    /** Incidents of the agents, oldest first. */
    public List<String> incidents() {
        return keepers.incidents();
    }

    /** Upgrades that have ended, oldest first. */
    public List<Upgrade> upgrades() {
        return keepers.upgrades();
    }

    /** Ends the agent. */
    @Override
    public void close() {
        keepers.close();
    }
}
