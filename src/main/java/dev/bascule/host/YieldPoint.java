package dev.bascule.host;

/** Where a long job lets its CPU check for new arrivals, an expired slice or a preemption. */
@FunctionalInterface
public interface YieldPoint {
    /** For work outside of any scheduler. */
    YieldPoint NONE = () -> {};

    /** Gives up the CPU if another task should run; returns when this task runs again. Cheap otherwise. */
    void maybeYield();
}
