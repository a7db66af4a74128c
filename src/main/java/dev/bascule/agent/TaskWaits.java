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
public final class TaskWaits {
    private static final Outcome[] OUTCOMES = Outcome.values();
    private static final byte NEVER = -1;
    private static final long MILLI = 1_000_000;

    private final TaskTable table;
    private final CpuTable cpus;
    private final int[] agentOf;
    private final long[] sinceNanos;
    private final long[] longestNanos;
    private final byte[] lastOutcome;
    private final short[] lastCpu;
    private final long[] lastNanos;
    private long nowNanos;

    TaskWaits(EnclaveShape shape, TaskTable table, CpuTable cpus) {
        this.table = table;
        this.cpus = cpus;
        agentOf = new int[shape.cpus()];
        Arrays.setAll(agentOf, shape::agentOf);
        int tasks = table.size();
        sinceNanos = new long[tasks];
        longestNanos = new long[tasks];
        lastOutcome = new byte[tasks];
        Arrays.fill(lastOutcome, NEVER);
        lastCpu = new short[tasks];
        lastNanos = new long[tasks];
    }

    /** Tells the host's time, ns from any moment, about every millisecond: what waits are counted in. */
    public void timeIs(long nanos) {
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
        longestNanos[task] = Math.max(longestNanos[task], nowNanos - sinceNanos[task]);
    }

    /** How long a runnable task has waited for a CPU, ns, to the distance of two calls of {@link #timeIs}; else 0. */
    public long waitedNanos(int task) {
        return table.state(task) == TaskTable.RUNNABLE ? nowNanos - sinceNanos[task] : 0;
    }

    /** The longest that the task has waited for a CPU, ns; the present wait included. */
    public long longestNanos(int task) {
        return Math.max(longestNanos[task], waitedNanos(task));
    }

    /** The longest that any task has waited for a CPU, ns; the present waits included. */
    public long longestNanos() {
        long longest = 0;
        for (int task = 0; task < longestNanos.length; task++) {
            longest = Math.max(longest, longestNanos(task));
        }
        return longest;
    }

    /** Tasks started so far on CPUs of the task's agent that the task may use. */
    long startsBeside(int task) {
        long starts = 0;
        for (int cpu = 0; cpu < cpus.starts.length; cpu++) {
            boolean mayRun = agentOf[cpu] == table.agent[task] && table.isAllowed(task, cpu);
            starts += mayRun ? cpus.starts[cpu] : 0;
        }
        return starts;
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
    public String lastWords(int task) {
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
