package dev.bascule.swap;

import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;

/** The agent's end of one CPU's exchange. Thread rule: the agent's thread. */
interface AgentExchange {
    /** Decisions that may be staged now. */
    int room();

    /** Whether there was {@link #room} when that was last asked; takes no look. */
    boolean hasRoom();

    /** Stages a decision; there is {@link #room}. */
    void stage(Transaction decision);

    /** Lets decisions that were staged be promised. */
    void commit();

    /** Reads what the host wrote and promises what it asks for; returns whether a promise went out. */
    boolean turn();

    /** See {@link dev.bascule.agent.AgentEnd#withdraw}. */
    boolean withdraw();

    /** Reports the outcomes that are known, oldest first; returns how many. */
    int outcomes(OutcomeSink sink);

    /** Writes again what a link may have lost. */
    void repeat();
}
