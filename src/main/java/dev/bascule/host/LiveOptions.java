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
 */
public record LiveOptions(int workers, int carriers, int backlog, long softNanos, long hardNanos, boolean polling,
        @Nullable LiveTrace trace) {
    /** Checks the ranges. */
    public LiveOptions {
        if (workers < 1 || carriers < 1 || backlog < 1) {
            throw new IllegalArgumentException("live host: workers, carriers and backlog must be at least 1");
        }
    }

    /** Without a trace. */
    public LiveOptions(int workers, int carriers, int backlog, long softNanos, long hardNanos, boolean polling) {
        this(workers, carriers, backlog, softNanos, hardNanos, polling, null);
    }

    /** The same with a trace. */
    public LiveOptions withTrace(@Nullable LiveTrace newTrace) {
        return new LiveOptions(workers, carriers, backlog, softNanos, hardNanos, polling, newTrace);
    }

    /** 64 workers, a soft window of 200 us and Wave's hard limit of 20 ms. */
    public static LiveOptions of(int carriers) {
        return new LiveOptions(64, carriers, 1 << 16, 200_000, 20_000_000, true);
    }
}
