package dev.bascule.workload;

/** Where a long request lets the scheduler take its CPU. May return much later, on the same thread. */
@FunctionalInterface
public interface YieldPoint {
    /** For services run outside any scheduler. */
    YieldPoint NONE = () -> {};

    /** Called by the task every few microseconds of work; must be cheap when nothing is to be done. */
    void maybeYield();
}
