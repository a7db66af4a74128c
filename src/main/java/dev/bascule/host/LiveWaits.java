package dev.bascule.host;

/**
 * How long tasks have waited for a CPU.
 *
 * @param longestNanos the longest that a task has waited, ns
 * @param starved tasks that waited past the limit of starvation while later ones were started
 * @param ended those of them that the host ran by itself, as they had waited for twice the limit
 */
public record LiveWaits(long longestNanos, long starved, long ended) {}
