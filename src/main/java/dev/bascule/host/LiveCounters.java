package dev.bascule.host;

/**
 * Counts of what a live host has done since it started.
 *
 * @param switches times a task got a CPU
 * @param busyNanos time CPUs spent in tasks, ns
 * @param localDecisions decisions of the built-in policy
 * @param fences agents fenced
 * @param rejected jobs refused for want of room
 * @param failedJobs jobs that ended with an exception
 * @param preemptions tasks taken off their CPU
 * @param prestageHits decisions that were there when their CPU first looked
 * @param overflows messages that found a full channel
 * @param lockedNanos time the host's lock was held, by sampling, ns
 */
public record LiveCounters(long switches, long busyNanos, long localDecisions, long fences, long rejected,
        long failedJobs, long preemptions, long prestageHits, long overflows, long lockedNanos) {}
