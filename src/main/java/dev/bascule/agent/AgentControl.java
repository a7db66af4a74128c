package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * What an agent tells its host about itself: one line an agent and epoch. Words: 0 heartbeat; 1 owner's nonce; 2 state
 * (1 attached, 2 ready).
 */
public final class AgentControl {
    private final Window window;
    private final long offset;

    /** The line at {@code offset} of {@code window}. */
    public AgentControl(Window window, long offset) {
        this.window = window;
        this.offset = offset;
    }

    /** Host: clears the line before an epoch opens. */
    public void clear() {
        for (int word = 0; word < 8; word++) {
            window.storeRelease(offset + word * 8L, 0);
        }
    }

    /**
     * Agent: takes the place.
     *
     * @throws AgentException if another agent holds it
     */
    public void attach(long nonce, int agent, int epoch) {
        if (window.loadAcquire(offset + 16) != 0) {
            throw new AgentException("attach agent " + agent + " to epoch " + epoch
                    + ": another agent holds this place; stop it, or let the host open a new epoch");
        }
        window.storeRelease(offset + 8, nonce);
        window.storeRelease(offset + 16, 1);
        window.writeFence();
    }

    /** Agent: whether the place is still ours (two agents that raced for it see one owner). */
    public boolean isHeldBy(long nonce) {
        return window.loadAcquire(offset + 8) == nonce;
    }

    /** Agent: rebuilt and deciding. */
    public void ready() {
        window.storeRelease(offset + 16, 2);
        window.writeFence();
    }

    /** Agent: one more round. */
    public void beat(long count) {
        window.storeRelease(offset, count);
    }

    /** Host: the agent's count of rounds. */
    public long heartbeat() {
        window.invalidateLine(offset);
        return window.loadAcquire(offset);
    }

    /** Host: whether the agent is ready. */
    public boolean isReady() {
        window.invalidateLine(offset);
        return window.loadAcquire(offset + 16) == 2;
    }
}
