package dev.bascule.host.scx;

import dev.bascule.agent.Outcome;
import java.util.Arrays;

/**
 * Counts of what the kernel's side has done since it was attached.
 *
 * @param switches times a ruled task got a CPU
 * @param preemptions ruled tasks taken off their CPU
 * @param localDecisions decisions of the kernel's side
 * @param late of these, those because an agent was late for a CPU
 * @param starved tasks that it ran because they had waited for too long
 * @param lent decisions of the kernel's side for CPUs that threads of the kernel's own classes keep, and of which it lends a part
 * @param overflows messages that found a full channel
 * @param prestageHits decisions that were there when their CPU first looked
 * @param unruled times a task of the class ran that nobody decides about
 * @param parked tasks that wait for a decision now
 * @param ruled tasks that are ruled now
 * @param noNumber tasks that found every number taken when they came; they are ruled when one is free
 * @param busyNanos time that ruled tasks ran, ns
 * @param messages sent
 * @param retries decisions that came before the kernel had parked their task, and were looked at again
 * @param rings times that the agent, which waited, was woken
 * @param calls that the agent made for what it had decided
 * @param kicks CPUs asked to look for something to run, by an interrupt unless it is the CPU that asks
 * @param turnedAway times that a thread which nobody had asked for came into the class and was not ruled
 * @param numbers that any task had so far: as many as there were tasks at a time
 * @param outcomes what became of decisions, in the order of {@link Outcome}
 * @param window decisions in force by the floor of log2 of the ns from observation to enforcement, on the kernel's clock
 */
@SuppressWarnings("ArrayRecordComponent") // copies, made for the reader
public record KernelCounters(long switches, long preemptions, long localDecisions, long late, long starved, long lent,
        long overflows,
        long prestageHits, long unruled, long parked, long ruled, long noNumber, long busyNanos, long messages,
        long retries, long rings, long calls, long kicks, long turnedAway, long numbers,
        long[] outcomes, long[] window) {
    @Override
    public String toString() {
        return switches + " switches, " + preemptions + " preemptions, " + decisions() + " decisions, " + stale()
                + " too late, " + localDecisions + " of the kernel's side, " + late + " for a late agent, " + starved
                + " starved, " + lent + " lent, " + prestageHits
                + " prestage hits, " + messages + " messages, " + overflows + " overflows, " + retries + " retries, "
                + rings + " rings, " + calls + " calls, " + kicks + " kicks, "
                + ruled + " ruled, " + numbers + " numbers, " + turnedAway + " turned away, " + parked
                + " parked, outcomes "
                + Arrays.toString(outcomes);
    }

    /** Decisions that the kernel's side has settled. */
    public long decisions() {
        return Arrays.stream(outcomes).sum();
    }

    /** Of these, those with an outcome. */
    public long count(Outcome outcome) {
        return outcomes[outcome.ordinal()];
    }

    /** Of these, those that came too late. */
    public long stale() {
        return Arrays.stream(Outcome.values()).filter(Outcome::isStale).mapToLong(this::count).sum();
    }

    /** An upper bound of the window's quantile, ns: the next power of two; 0 if nothing was decided. */
    public long windowNanos(double quantile) {
        return windowNanos(window, quantile);
    }

    /**
     * An upper bound of the quantile of counts like those of {@link #window}, such as of the time between two looks,
     * ns: the next power of two; 0 if nothing was decided.
     */
    public static long windowNanos(long[] window, double quantile) {
        long wanted = (long) Math.ceil(quantile * Arrays.stream(window).sum());
        long seen = 0;
        for (int i = 0; i < window.length && wanted > 0; i++) {
            seen += window[i];
            if (seen >= wanted) {
                return 1L << Math.min(i + 1, 62);
            }
        }
        return 0;
    }
}
