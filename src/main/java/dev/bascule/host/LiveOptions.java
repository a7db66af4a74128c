package dev.bascule.host;

import dev.bascule.agent.Watchdog;
import org.jspecify.annotations.Nullable;

/**
 * How a live host runs.
 *
 * @param workers tasks that carry jobs, 1 to the enclave's number of tasks
 * @param carriers carrier threads of the virtual-thread scheduler; fewer than CPUs means that CPUs share them
 * @param backlog jobs that may wait for a free task; more are rejected
 * @param softNanos soft window: a CPU that waited longer decides by itself
 * @param hardNanos hard limit: an agent that is silent longer is fenced and replaced
 * @param polling idle CPUs poll for decisions; off: they sleep until the interrupt
 * @param trace records what happens; null for no record
 * @param starvationNanos a task that waits longer while later ones are started is an incident, and twice as long the host
 *     runs it by itself; 0: never
 * @param tickNanos time between two ticks of a CPU that runs a task, a millisecond at least; 0: no ticks
 * @param jobsInARow jobs of one kind that a task may do one after the other, while such wait, before it gives its CPU back
 * @param coldNanos the hard limit of an agent that has decided little, whose code may not be compiled yet
 */
public record LiveOptions(int workers, int carriers, int backlog, long softNanos, long hardNanos, boolean polling,
        @Nullable LiveTrace trace, long starvationNanos, long tickNanos, int jobsInARow, long coldNanos) {
    /** The shortest time between two ticks, ns: how often the host looks after itself. */
    public static final long SHORTEST_TICK_NANOS = 1_000_000;
    /** A second. */
    public static final long STARVATION_NANOS = 1_000_000_000;

    /** Checks the ranges. */
    public LiveOptions {
        if (workers < 1 || carriers < 1 || backlog < 1) {
            throw new IllegalArgumentException("live host: workers, carriers and backlog must be at least 1");
        }
        if (starvationNanos < 0) {
            throw new IllegalArgumentException("live host: starvation limit " + starvationNanos
                    + " ns; 0 (off) or more");
        }
        if (tickNanos != 0 && tickNanos < SHORTEST_TICK_NANOS) {
            throw new IllegalArgumentException("live host: a tick every " + tickNanos + " ns; 0 (none), or "
                    + SHORTEST_TICK_NANOS + " or more, as the host looks after its CPUs no more often");
        }
        if (jobsInARow < 1) {
            throw new IllegalArgumentException("live host: " + jobsInARow + " jobs in a row; 1 or more");
        }
    }

    /** A cold agent has {@link Watchdog#COLD_LIMITS} hard limits. */
    public LiveOptions(int workers, int carriers, int backlog, long softNanos, long hardNanos, boolean polling,
            @Nullable LiveTrace trace, long starvationNanos, long tickNanos, int jobsInARow) {
        this(workers, carriers, backlog, softNanos, hardNanos, polling, trace, starvationNanos, tickNanos, jobsInARow,
                hardNanos * Watchdog.COLD_LIMITS);
    }

    /** Without ticks, with one job at a time. */
    public LiveOptions(int workers, int carriers, int backlog, long softNanos, long hardNanos, boolean polling,
            @Nullable LiveTrace trace, long starvationNanos) {
        this(workers, carriers, backlog, softNanos, hardNanos, polling, trace, starvationNanos, 0, 1);
    }

    /** With the usual limit of starvation. */
    public LiveOptions(int workers, int carriers, int backlog, long softNanos, long hardNanos, boolean polling,
            @Nullable LiveTrace trace) {
        this(workers, carriers, backlog, softNanos, hardNanos, polling, trace, STARVATION_NANOS);
    }

    /** Without a trace. */
    public LiveOptions(int workers, int carriers, int backlog, long softNanos, long hardNanos, boolean polling) {
        this(workers, carriers, backlog, softNanos, hardNanos, polling, null);
    }

    /** These options with a trace; null for no record. */
    public LiveOptions withTrace(@Nullable LiveTrace newTrace) {
        return new LiveOptions(workers, carriers, backlog, softNanos, hardNanos, polling, newTrace, starvationNanos,
                tickNanos, jobsInARow, coldNanos);
    }

    /** These options with another limit of starvation, ns; 0: never. */
    public LiveOptions withStarvation(long nanos) {
        return new LiveOptions(workers, carriers, backlog, softNanos, hardNanos, polling, trace, nanos, tickNanos,
                jobsInARow, coldNanos);
    }

    /** These options with a tick every so many ns of each CPU that runs a task; 0: none. */
    public LiveOptions withTick(long nanos) {
        return new LiveOptions(workers, carriers, backlog, softNanos, hardNanos, polling, trace, starvationNanos, nanos,
                jobsInARow, coldNanos);
    }

    /** These options with so many jobs that a task may do in a row. */
    public LiveOptions withJobsInARow(int jobs) {
        return new LiveOptions(workers, carriers, backlog, softNanos, hardNanos, polling, trace, starvationNanos,
                tickNanos, jobs, coldNanos);
    }

    /** These options with another hard limit of a cold agent, ns; not below that of others. */
    public LiveOptions withColdLimit(long nanos) {
        return new LiveOptions(workers, carriers, backlog, softNanos, hardNanos, polling, trace, starvationNanos,
                tickNanos, jobsInARow, nanos);
    }

    /** 64 workers, a soft window of 200 us and Wave's hard limit of 20 ms. */
    public static LiveOptions of(int carriers) {
        return new LiveOptions(64, carriers, 1 << 16, 200_000, 20_000_000, true);
    }
}
