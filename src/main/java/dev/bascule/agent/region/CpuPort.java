package dev.bascule.agent.region;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of one CPU's decisions: what {@link dev.bascule.agent.MechanismEnd} says of a CPU, for that CPU.
 * <p>
 * Thread rule: one thread at a time, beside those of other CPUs; {@link #open}, {@link #repeat} and {@link #agentReady}
 * while no CPU decides. Nothing here allocates but {@link #open}.
 */
public interface CpuPort {
    /** Voids everything of the former epoch and begins a new one, on a cleared bank. */
    void open(int epoch);

    /** The CPU will soon need a decision. */
    default void want() {}

    /** Takes the next decision, if one has arrived whole. */
    boolean poll(Transaction into);

    /** Stores the outcome of a decision taken. */
    void settle(Transaction decision, Outcome outcome);

    /** The host decided by itself. */
    default void abandon() {}

    /** Stores what has to leave with the CPU's next fence, and marks {@link HostThread#outgoing}. */
    default void flush() {}

    /** Whether an interrupt came since the last call that said so. */
    boolean isKicked();

    /** Says, visibly for the agent, whether the CPU sleeps and wants an interrupt; a full fence comes after a yes. */
    void setSleeping(boolean sleeping);

    /** Whether {@link #poll} has something to look at; takes nothing. */
    boolean hasDecision();

    /** Writes again what the link may have lost; fences it if {@link HostThread#isApart}. */
    default void repeat() {}

    /** The CPU's agent came, or is gone: called only when that changes. */
    default void agentReady(boolean ready) {}

    /** Why this CPU cannot go on without a fence; null if it can. */
    default @Nullable String trouble() {
        return null;
    }

    /** The repair of what a former host left here in bad order, in a sentence; null if nothing. */
    default @Nullable String repair() {
        return null;
    }
}
