package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * Lines in which an agent tells its host about itself. Each agent has one line per bank, and an agent two epochs old
 * shares that line; so every word names its epoch, and the host ignores words of other epochs. Words: 0 epoch 16 |
 * heartbeat 48; 1 owner's nonce; 2 epoch 48 | state 16 (1 attached, 2 ready); 3 epoch 48 | 1 once the agent has left, 2
 * while it waits, fenced, whether its successor gets to work. That is a word of its own, for a late store of an agent
 * two epochs old may then hide a departure, never a state.
 * <p>
 * An agent that is about to take over from the one at work writes words 4 epoch 48 | phase 16 (1 asks for a copy of the
 * state, 2 may take over) and 5, its nonce; word 6 is the answer of the agent at work: epoch 48 | 1 no state, 2 given,
 * 3 failed.
 */
public final class AgentControl {
    private static final int LEFT = 1;
    private static final int WAITS = 2;
    private static final int ASKS = 1;
    private static final int MAY_TAKE_OVER = 2;
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

    /**
     * Successor: asks the agent at work for its state.
     *
     * @throws AgentException if no agent is at work, or another one is about to take over
     */
    public void succeed(long nonce, int agent) {
        if (!isReady()) {
            throw new AgentException("take over from agent " + agent + ": none is at work in epoch " + epoch
                    + "; start this one without a hand-over");
        }
        if (hasCompany()) {
            throw new AgentException("take over from agent " + agent + ": another agent is about to; wait for it");
        }
        window.storeRelease(offset + 48, 0); // an answer to one that withdrew
        window.storeRelease(offset + 40, nonce);
        phase(ASKS);
    }

    private void phase(int phase) {
        window.storeRelease(offset + 32, word(phase));
        window.writeFence();
    }

    private long word(int low) {
        return (long) epoch << 16 | low;
    }

    /** Successor: whether it still is the one; of two that raced, one is. */
    public boolean isSuccessor(long nonce) {
        return window.loadAcquire(offset + 40) == nonce;
    }

    /** Successor: may take over from now on. */
    public void mayTakeOver() {
        phase(MAY_TAKE_OVER);
    }

    /** Successor: does not take over. Or whoever knows that it never will. */
    public void withdraw() {
        phase(0);
    }

    /** Successor: what the agent at work has answered. */
    public StateAnswer answer() {
        long word = window.loadAcquire(offset + 48);
        return word >>> 16 == epoch ? StateAnswer.of((int) word & 0xffff) : StateAnswer.OPEN;
    }

    /** Agent: whether a successor asks for the state and has no answer yet. */
    public boolean isAsked() {
        return window.loadAcquire(offset + 32) == word(ASKS) && window.loadAcquire(offset + 48) >>> 16 != epoch;
    }

    /** Agent: answers. */
    public void answer(StateAnswer answer) {
        window.storeRelease(offset + 48, word(answer.ordinal()));
        window.writeFence();
    }

    /** Agent: whether a successor stands beside this one. */
    public boolean hasCompany() {
        long word = window.loadAcquire(offset + 32);
        return word >>> 16 == epoch && (word & 0xffff) != 0;
    }

    /** Agent: whether a successor may take over. */
    public boolean hasSuccessor() {
        return window.loadAcquire(offset + 32) == word(MAY_TAKE_OVER);
    }

    /** Host: the same. */
    public boolean mayBeSucceeded() {
        window.invalidateLine(offset);
        return hasSuccessor();
    }

    /** Agent: says that it goes of its own accord and decides nothing any more. */
    public void leave() {
        window.storeRelease(offset + 24, word(LEFT));
        window.writeFence();
    }

    /** Agent: says that it goes on if its successor does not get to work. */
    public void waitForSuccessor() {
        window.storeRelease(offset + 24, word(WAITS));
        window.writeFence();
    }

    /** Host: whether the agent, fenced, would go on. */
    public boolean isWaiting() {
        window.invalidateLine(offset);
        return window.loadAcquire(offset + 24) == word(WAITS);
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

    /** Host: whether the agent has said that it goes. */
    public boolean hasLeft() {
        window.invalidateLine(offset);
        return window.loadAcquire(offset + 24) == word(LEFT);
    }
}
