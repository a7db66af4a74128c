package dev.bascule.host;

/** Does the work of a job on the calling thread, which is one of the host's tasks. */
@FunctionalInterface
public interface JobRunner {
    /** Runs the job to its end. Blocks by {@link YieldPoint#await} alone; an exception is counted as a failed job. */
    void run(int job, YieldPoint yield);
}
