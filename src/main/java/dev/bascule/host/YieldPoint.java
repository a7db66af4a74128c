package dev.bascule.host;

/** Requests that a job may make of the host while it runs. Called by the job's own thread. */
@FunctionalInterface
public interface YieldPoint {
    /** For work outside of any scheduler. */
    YieldPoint NONE = () -> {};

    /**
     * Where a long job lets its CPU check for new arrivals, an expired slice or a preemption: gives up the CPU if another
     * task should run; returns when this task runs again. Cheap otherwise.
     */
    void maybeYield();

    /** Gives up the CPU though nobody has asked for it, as sched_yield does; returns when this task runs again. */
    default void giveWay() {
        maybeYield();
    }

    /**
     * Waits for something that needs no CPU: the task blocks, its CPU is free for others meanwhile, and when the call has
     * come to an end the task is runnable again.
     *
     * @return what the call returned, on a CPU again
     * @throws E what the call threw, likewise
     */
    default <T, E extends Exception> T await(BlockingCall<T, E> call) throws E {
        return call.call();
    }

    /**
     * Changes the CPUs that this task may use from now on, as sched_setaffinity does; on return it runs on one of them.
     *
     * @param mask bit n for CPU n of the first 64; -1: any
     * @throws IllegalArgumentException if no CPU among them is online
     */
    default void setAffinity(long mask) {}
}
