package dev.bascule.study.sim;

/**
 * A fault that all agents suffer at one time.
 *
 * @param atNanos when, ns of virtual time
 * @param pauseNanos how long they stop; 0: they are killed
 */
public record SimFault(long atNanos, long pauseNanos) {}
