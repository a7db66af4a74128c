package dev.bascule.agent.region;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.StateAnswer;

/**
 * An agent beside the one at work, which is to take its place: it asks for a copy of the state, then says that it may
 * take over, and attaches as soon as the host has opened the next epoch. Until then nothing that it does reaches the
 * host's decisions; withdrawn, or dead, it leaves the agent at work as it was.
 * <p>
 * Thread rule: one thread.
 */
public final class Succession implements AutoCloseable {
    private final AgentRegion region;
    private final AgentControl other;
    private boolean done;

    /**
     * Asks the agent at work for its state.
     *
     * @throws AgentException if none is at work, or another agent is about to take over
     */
    public Succession(AgentRegion region) {
        this.region = region;
        other = new AgentControl(region.nic(), region.layout().agentControl(region.epoch(), region.agent()),
                region.epoch());
        other.succeed(region.nonce(), region.agent());
    }

    /** The epoch of the agent at work. */
    public int epoch() {
        return region.epoch();
    }

    /** Answer of the agent at work. */
    public StateAnswer answer() {
        return other.answer();
    }

    /** The host may open the next epoch for this agent. */
    public void mayTakeOver() {
        requireMine();
        other.mayTakeOver();
    }

    /**
     * Whether the host has opened it: attach now.
     *
     * @throws AgentException if the host has ended, or fenced the agent at work for another reason
     */
    public boolean isDue() {
        if (!region.host().isOver(region.epoch())) {
            requireMine();
            return false;
        }
        done = true;
        if (region.host().isOver(region.epoch() + 1) || !other.hasSuccessor()) {
            throw new AgentException("take over from agent " + region.agent() + ": the host has fenced it or ended"
                    + " meanwhile; look at the host's words");
        }
        return true;
    }

    private void requireMine() {
        if (!other.isSuccessor(region.nonce())) {
            done = true;
            throw new AgentException("take over from agent " + region.agent() + ": another agent was faster");
        }
    }

    /** Withdraws, unless this agent has taken over. */
    @Override
    public void close() {
        if (!done && !region.host().isOver(region.epoch())) {
            other.withdraw();
        }
    }
}
