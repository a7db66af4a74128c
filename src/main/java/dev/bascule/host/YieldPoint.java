package dev.bascule.host;

/** Where a long job lets its CPU look around: new arrivals, an expired slice, a preemption. */
@FunctionalInterface
public interface YieldPoint {
    /** Gives the CPU away if somebody wants it; returns when the task runs again. Cheap if nobody does. */
    void maybeYield();
}
