package dev.bascule.swap;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import org.jspecify.annotations.Nullable;

/** The host's end of one CPU's exchange: a cell of two lines, or one word. Thread rule: that of {@link SwapCpu}. */
interface HostExchange {
    /** The CPU needs a decision, or soon will: makes the offer if none is open, and starts to read the answer. */
    void want();

    /** Takes the next decision, if one was promised whole; taking it commits the exchange. */
    boolean poll(Transaction into);

    /** Takes the open offer back if its window is over. */
    void expire();

    /** The outcome of the oldest decision taken. */
    void settle(Transaction decision, Outcome outcome);

    /** Whether the agent has yet to learn something by a host line or word: an outcome, or an end of an offer. */
    boolean isDirty();

    /** Writes it. */
    void write();

    /** Takes an open offer back. */
    void abandon();

    /** Whether {@link #poll} would find something; takes nothing. */
    boolean hasDecision();

    /** Writes again what a link may have lost. */
    void repeat();

    /** Voids everything of the old epoch. */
    void fence(int epoch);

    /** Why this cell cannot go on without a fence; null if it can. */
    @Nullable
    String trouble();
}
