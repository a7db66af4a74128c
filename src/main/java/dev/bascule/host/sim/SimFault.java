package dev.bascule.host.sim;

/**
 * Something that happens to the agents.
 *
 * @param atNanos when, ns of virtual time
 * @param pauseNanos how long they stop; 0: they are killed
 */
public record SimFault(long atNanos, long pauseNanos) {}
