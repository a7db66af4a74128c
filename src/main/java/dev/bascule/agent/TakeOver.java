package dev.bascule.agent;

/**
 * Moments of a take-over, as the new agent tells them, ns of {@link System#nanoTime} of its machine.
 *
 * @param noticedNanos it saw that its epoch was open
 * @param attachedNanos it held its place
 * @param readyNanos its first round was over: it decides
 */
public record TakeOver(long noticedNanos, long attachedNanos, long readyNanos) {}
