package dev.bascule.host;

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
 */
public record LiveOptions(int workers, int carriers, int backlog, long softNanos, long hardNanos, boolean polling,
        @Nullable LiveTrace trace, long starvationNanos) {
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

    /** The same with a trace. */
    public LiveOptions withTrace(@Nullable LiveTrace newTrace) {
        return new LiveOptions(workers, carriers, backlog, softNanos, hardNanos, polling, newTrace, starvationNanos);
    }

    /** The same with another limit of starvation, ns; 0: never. */
    public LiveOptions withStarvation(long nanos) {
        return new LiveOptions(workers, carriers, backlog, softNanos, hardNanos, polling, trace, nanos);
    }

    /** 64 workers, a soft window of 200 us and Wave's hard limit of 20 ms. */
    public static LiveOptions of(int carriers) {
        return new LiveOptions(64, carriers, 1 << 16, 200_000, 20_000_000, true);
    }
}
