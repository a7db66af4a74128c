package dev.bascule.study.sim;

import java.util.List;

/**
 * Load of the simulated host: jobs that arrive, and tasks that are there all the time. Called in the order of virtual
 * time, which begins at 0. A load that consists of residents alone overrides nothing that is about jobs. A load is
 * deterministic, the same seed gives the same answers, and allocates nothing after the start.
 */
public interface SimLoad {
    /** {@link #nextArrivalNanos} when no job comes, or none before another is finished. */
    long NO_MORE = Long.MAX_VALUE;

    /** Number of job classes, 1 to 256; each has tasks of its own, so that policies can tell them apart. */
    default int classes() {
        return 1;
    }

    /** CPU time that a job of the class is expected to need, ns: a hint to policies; 0: not known. */
    default long expectedNanos(int jobClass) {
        return 0;
    }

    /** CPUs that the tasks of a class may use, bit n for CPU n of the first 64; -1 for any. */
    default long affinity(int jobClass) {
        return -1;
    }

    /** Priority of the tasks of a class, -20 to 19. */
    default int nice(int jobClass) {
        return 0;
    }

    /** When the next job arrives. */
    default long nextArrivalNanos() {
        return NO_MORE;
    }

    /** Takes that job. */
    default void take(SimJob job) {
        throw new IllegalStateException("this load has no jobs");
    }

    /** A job is done: a closed loop may now have a next arrival. */
    default void finished(int jobClass, long nowNanos) {}

    /** Tasks that are runnable from the start on and never exit. */
    default List<Resident> residents() {
        return List.of();
    }

    /** How long the resident runs before its next pause; {@link Long#MAX_VALUE}: for ever. */
    default long burstNanos(int resident) {
        return Long.MAX_VALUE;
    }

    /** How long it then waits. */
    default long pauseNanos(int resident) {
        return 1;
    }

    /**
     * A task that is there all the time: a batch job, or a virtual CPU.
     *
     * @param taskClass class hint for policies
     * @param nice priority, -20 to 19
     * @param affinity CPUs it may use, bit n for CPU n; -1 for any
     */
    record Resident(int taskClass, int nice, long affinity) {}
}
