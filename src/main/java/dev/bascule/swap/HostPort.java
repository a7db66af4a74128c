package dev.bascule.swap;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import org.jspecify.annotations.Nullable;

/** The host's end of one CPU's decision path: cells of two lines, or one word. Same thread rule as {@link SwapHost}. */
interface HostPort {
    /** The CPU needs a decision, or soon will: makes the offer if none is open, and starts to read the answer. */
    void want();

    /** Takes the next decision, if one was promised whole; taking it commits the exchange. */
    boolean poll(Transaction into);

    /** Takes back an offer that nobody has looked after for longer than its window. */
    void expire(long nowNanos);

    /** The outcome of the oldest decision taken. */
    void settle(Transaction decision, Outcome outcome);

    /** Whether a host line or word has to be written before the agent knows all. */
    boolean owes();

    /** Writes it. */
    void write();

    /** Takes an open offer back. */
    void abandon();

    /** Looks whether {@link #poll} would find something. */
    boolean hasAnswer();

    /** Writes again what a link may have lost. */
    void repeat();

    /** Voids everything of the old epoch. */
    void fence(int epoch);

    /** Why this cell cannot go on without a fence; null if it can. */
    @Nullable
    String trouble();
}
