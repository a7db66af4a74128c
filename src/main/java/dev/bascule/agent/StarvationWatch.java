package dev.bascule.agent;

import org.jspecify.annotations.Nullable;

/**
 * Finds tasks that the agents pass over: runnable for longer than a limit, while tasks that became runnable after them
 * were started on CPUs they may use. Past the limit it is an incident; past twice the limit the host runs the task by
 * itself (ghOSt's runnable_timeout and sched_ext's timeout_ms end the scheduler instead). A wait in which nobody else was
 * started is none of the policy's: the machine is busy, or every CPU runs a long task.
 * <p>
 * It looks at the oldest runnable task only, as those behind it have waited for less; that is one comparison a look.
 * Time in which the host itself did not come to look does not count.
 * <p>
 * Thread rule: while no CPU decides.
 */
public final class StarvationWatch {
    /** No task. */
    public static final int NONE = Mechanism.NONE;
    /** As long as a look's distance may count, of housekeeping every millisecond. */
    private static final long LONGEST_STEP_NANOS = 4_000_000;
    private static final long MILLI = 1_000_000;

    private final Mechanism mechanism;
    private final long limitNanos;
    private final long longestStepNanos;
    private long lastLookNanos = Long.MIN_VALUE;
    private long timeNanos;
    private int oldest = NONE;
    private int oldestSequence;
    private long startsBefore;
    private boolean isTold;
    private int overdue = NONE;
    private long starved;

    private StarvationWatch(Mechanism mechanism, long limitNanos, long longestStepNanos) {
        if (limitNanos < 0) {
            throw new IllegalArgumentException("starvation limit " + limitNanos + " ns; 0 (off) or more");
        }
        this.mechanism = mechanism;
        this.limitNanos = limitNanos;
        this.longestStepNanos = longestStepNanos;
    }

    /** For a host on a real machine, which may get no core for a while; a limit of 0 ns finds none. */
    public static StarvationWatch live(Mechanism mechanism, long limitNanos) {
        return new StarvationWatch(mechanism, limitNanos, LONGEST_STEP_NANOS);
    }

    /** For virtual time, in which nothing stands still. */
    public static StarvationWatch virtual(Mechanism mechanism, long limitNanos) {
        return new StarvationWatch(mechanism, limitNanos, Long.MAX_VALUE);
    }

    /**
     * Looks, about every millisecond.
     *
     * @return what is to be said of a task that has just been found to starve, or null
     */
    public @Nullable String look(long nowNanos) {
        long step = lastLookNanos == Long.MIN_VALUE ? 0 : nowNanos - lastLookNanos;
        lastLookNanos = nowNanos;
        timeNanos += Math.min(step, longestStepNanos);
        mechanism.waits().timeIs(timeNanos);
        int task = mechanism.runnable.first();
        if (task != oldest || task != NONE && mechanism.sequence(task) != oldestSequence) {
            oldest = task;
            oldestSequence = task == NONE ? 0 : mechanism.sequence(task);
            startsBefore = task == NONE ? 0 : mechanism.waits().startsBeside(task);
            isTold = false;
            overdue = NONE;
        }
        if (task == NONE || limitNanos == 0 || mechanism.waits().waitedNanos(task) <= limitNanos) {
            return null;
        }
        long passed = mechanism.waits().startsBeside(task) - startsBefore;
        if (passed == 0) {
            return null;
        }
        overdue = mechanism.waits().waitedNanos(task) > 2 * limitNanos ? task : NONE;
        if (isTold) {
            return null;
        }
        isTold = true;
        starved++;
        return "task " + task + " starves: runnable for " + mechanism.waits().waitedNanos(task) / MILLI + " ms while "
                + passed + " later ones were started on CPUs that it may use; " + mechanism.waits().lastWords(task);
    }

    /** A task that has waited for longer than the second limit, for the host to run, or {@link #NONE}. */
    public int overdue() {
        return overdue;
    }

    /** Tasks found to starve so far. */
    public long starved() {
        return starved;
    }
}
