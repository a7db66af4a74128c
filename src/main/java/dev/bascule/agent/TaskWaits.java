package dev.bascule.agent;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How long each task has waited for a CPU, and what the agents last decided about it. Time is the host's own, told about
 * every millisecond, so that no event reads a clock.
 * <p>
 * Thread rule: {@link #begin} by who makes the task runnable, before it may be taken; {@link #end} and {@link #decided}
 * by the CPU that takes it; the rest while no CPU decides.
 */
final class TaskWaits {
    private static final Outcome[] OUTCOMES = Outcome.values();
    private static final byte NEVER = -1;
    private static final long MILLI = 1_000_000;

    private final long[] sinceNanos;
    private final long[] longestNanos;
    private final byte[] lastOutcome;
    private final short[] lastCpu;
    private final long[] lastNanos;
    private long nowNanos;

    TaskWaits(int tasks) {
        sinceNanos = new long[tasks];
        longestNanos = new long[tasks];
        lastOutcome = new byte[tasks];
        Arrays.fill(lastOutcome, NEVER);
        lastCpu = new short[tasks];
        lastNanos = new long[tasks];
    }

    void timeIs(long nanos) {
        nowNanos = nanos;
    }

    /** A new task has this id. */
    void reset(int task) {
        longestNanos[task] = 0;
        lastOutcome[task] = NEVER;
    }

    /** The task is runnable from now on. */
    void begin(int task) {
        sinceNanos[task] = nowNanos;
    }

    /** The task has a CPU. */
    void end(int task) {
        longestNanos[task] = Math.max(longestNanos[task], now(task));
    }

    /** How long a runnable task has waited by now, ns, to the time between two looks of the host. */
    long now(int task) {
        return nowNanos - sinceNanos[task];
    }

    long longest(int task) {
        return longestNanos[task];
    }

    long longest() {
        long longest = 0;
        for (long each : longestNanos) {
            longest = Math.max(longest, each);
        }
        return longest;
    }

    void decided(Transaction decision, Outcome outcome) {
        int task = decision.task();
        if (task < lastOutcome.length) {
            lastOutcome[task] = (byte) outcome.ordinal();
            lastCpu[task] = (short) decision.slotCpu();
            lastNanos[task] = nowNanos;
        }
    }

    /** The agents' last words about the task, for people. */
    String lastWords(int task) {
        Outcome outcome = lastOutcome(task);
        return outcome == null
                ? "no agent has ever decided about it"
                : "the last decision about it, for CPU " + lastCpu[task] + " " + (nowNanos - lastNanos[task]) / MILLI
                        + " ms ago, was " + outcome;
    }

    private @Nullable Outcome lastOutcome(int task) {
        return lastOutcome[task] == NEVER ? null : OUTCOMES[lastOutcome[task]];
    }
}
