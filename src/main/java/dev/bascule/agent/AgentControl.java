package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * What an agent tells its host about itself. Each agent has one line per bank, and an agent two epochs old shares that
 * line; so every word names its epoch, and the host ignores words of other epochs. Words: 0 epoch 16 | heartbeat 48; 1
 * owner's nonce; 2 epoch 48 | state 16 (1 attached, 2 ready).
 */
public final class AgentControl {
    private static final long COUNT = (1L << 48) - 1;

    private final Window window;
    private final long offset;
    private final int epoch;
    private long state;
    private long lastBeat;

    /** The line at {@code offset} of {@code window}, for one epoch. */
    public AgentControl(Window window, long offset, int epoch) {
        this.window = window;
        this.offset = offset;
        this.epoch = epoch;
    }

    /**
     * Agent: claims the line.
     *
     * @throws AgentException if another agent holds it
     */
    public void attach(long nonce, int agent) {
        if (window.loadAcquire(offset + 16) >>> 16 == epoch) {
            throw new AgentException("attach agent " + agent + " to epoch " + epoch
                    + ": another agent holds this place; stop it, or let the host open a new epoch");
        }
        window.storeRelease(offset + 8, nonce);
        state = (long) epoch << 16 | 1;
        repeat();
    }

    /** Agent: whether this agent still owns the line; of two that raced for it, one does. */
    public boolean isHeldBy(long nonce) {
        return window.loadAcquire(offset + 8) == nonce;
    }

    /** Agent: says that it has rebuilt its state and decides from now on. */
    public void ready() {
        state = (long) epoch << 16 | 2;
        repeat();
    }

    /** Agent: writes its state once more, in case it was lost. */
    public void repeat() {
        window.storeRelease(offset + 16, state);
        window.writeFence();
    }

    /** Agent: publishes its count of rounds. */
    public void beat(long count) {
        window.storeRelease(offset, (long) epoch << 48 | count & COUNT);
    }

    /** Host: the agent's count of rounds, as last seen. Counts written by agents of other epochs are ignored. */
    public long heartbeat() {
        window.invalidateLine(offset);
        long word = window.loadAcquire(offset);
        if (word >>> 48 == epoch) {
            lastBeat = word & COUNT;
        }
        return lastBeat;
    }

    /** Host: whether the agent is ready. */
    public boolean isReady() {
        window.invalidateLine(offset);
        return window.loadAcquire(offset + 16) == ((long) epoch << 16 | 2);
    }
}
