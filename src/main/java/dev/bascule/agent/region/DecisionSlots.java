package dev.bascule.agent.region;

import dev.bascule.agent.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * One CPU's slots, as an agent writes them: a place for each decision that may be staged, and how the host answers.
 * {@link StagedPort} keeps the numbers. Thread rule: the agent's thread. Allocation-free.
 */
public interface DecisionSlots {
    /** How many of {@code free} places may be filled now, the first with decision {@code next}. */
    default int room(int free, int next) {
        return free;
    }

    /**
     * Writes a decision of six words into its slot, or writes it again; takes effect with the transport's
     * {@link AgentTransport#fence}.
     */
    void write(int number, long[] words, boolean withdrawn);

    /** Takes a decision back at once, so far as that can be done from here; false if the host has it already. */
    boolean withdraw(int number, long[] words);

    /** The outcome of a decision; null if it is not known yet. */
    @Nullable
    Outcome outcome(int number, boolean withdrawn);

    /** Asks for the CPU's attention, whatever it does. */
    void interrupt();

    /** Wakes the CPU if it sleeps; comes after the fence. */
    void wake();
}
