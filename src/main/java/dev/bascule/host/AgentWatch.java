package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import java.util.List;

/**
 * Looks after the agents of a host whose CPUs are not this process': starts them, fences those that are silent, dead or
 * broken, starts others in their place, and carries upgrades out.
 * <p>
 * Thread rule: {@link #incidents} and {@link #hasGivenUp} any thread, the rest one thread.
 */
public final class AgentWatch implements AutoCloseable {
    private final MechanismEnd end;
    private final AgentKeeper keeper;

    /**
     * A watch that has not begun.
     *
     * @param options its soft window and hard limit
     */
    public AgentWatch(MechanismEnd end, LiveOptions options, AgentSupervisor supervisor) {
        this.end = end;
        keeper = new AgentKeeper(end, options, supervisor);
    }

    /** Starts the agents. */
    public void begin(long nowNanos) {
        keeper.begin(nowNanos);
    }

    /**
     * Looks, about every millisecond.
     *
     * @return whether the agents were fenced: what they had decided is void, and the next epoch is open
     */
    public boolean look(long nowNanos) {
        String trouble = keeper.trouble(nowNanos);
        if (trouble == null) {
            return false;
        }
        end.openEpoch();
        keeper.replace(trouble, nowNanos);
        return true;
    }

    /** Whether all agents decide, as of the last look. */
    public boolean isReady() {
        return keeper.isReady();
    }

    /** One of their decisions is in force. */
    public void decided() {
        keeper.decided();
    }

    /** Says what happened. */
    public void note(String what) {
        keeper.note(what);
    }

    /** Whether no more agents are started. */
    public boolean hasGivenUp() {
        return keeper.hasGivenUp();
    }

    /** Agents fenced so far because they were dead, silent or broken. */
    public long fences() {
        return keeper.fences();
    }

    /** What happened to the agents, oldest first. */
    public List<String> incidents() {
        return keeper.incidents();
    }

    /** Upgrades that have ended, oldest first. */
    public List<Upgrade> upgrades() {
        return keeper.upgrades();
    }

    /** Ends the agents. */
    @Override
    public void close() {
        keeper.close();
    }
}
