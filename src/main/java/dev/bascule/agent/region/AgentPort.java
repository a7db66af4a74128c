package dev.bascule.agent.region;

import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;

/**
 * An agent's end of one CPU's decisions: what {@link dev.bascule.agent.AgentEnd} says of a CPU, for that CPU. Thread
 * rule: the agent's thread. Allocation-free.
 */
public interface AgentPort {
    /** Decisions that may be staged now. */
    int room();

    /** Stages a decision and gives it its number; false if there is no {@link #room}. */
    boolean stage(Transaction decision);

    /** Commits the decisions that were staged since the last call; wakes the CPU if it sleeps. */
    void commit();

    /** Takes the newest decision back if it can; see {@link dev.bascule.agent.AgentEnd#withdraw}. */
    boolean withdraw();

    /** Notice of a message about the CPU, and of the bits of {@link HostMessages#post(int, long[], int)} with it. */
    default void told(int mark) {}

    /** Hands the outcomes that have arrived to {@code sink}, oldest first; returns how many. */
    int outcomes(OutcomeSink sink);

    /** Writes again what the link may have lost. */
    default void repeat() {}
}
