package dev.bascule.agent.memory;

/** Outcome of a decision about a batch. */
public enum MemoryOutcome {
    /** In force. */
    COMPLETE,
    /** The batch has changed since it was observed. */
    STALE,
    /** The observation is too old. */
    EXPIRED,
    /** The safeguard holds demotions back. */
    HELD,
    /** Enough was moved in this period. */
    LIMITED,
    /** No such batch, or no such interval. */
    INVALID,
    /** The batch could not be moved: its pages are locked or shared, or slow memory is full. */
    REFUSED
}
