package dev.bascule.agent.memory;

/**
 * Account of an agent's decisions about batches, counted once each at the host, over every transport alike.
 *
 * @param decided decisions that reached the host
 * @param inForce of these in force
 * @param stale of these about pages that had changed, or were observed too long ago
 * @param refused of these held back, beyond the limit of a period, not possible, or not understood
 */
public record MemoryLedger(long decided, long inForce, long stale, long refused) {}
