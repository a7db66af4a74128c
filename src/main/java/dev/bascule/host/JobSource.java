package dev.bascule.host;

/** Jobs in the order of their arrival. Called under the host's lock. */
public interface JobSource {
    /** {@link #nextDueNanos} when no more jobs will come. */
    long NO_MORE = Long.MAX_VALUE;

    /**
     * When the next job arrives, on the clock of {@link System#nanoTime}; asked again at that time, before {@link #take}.
     * A source whose jobs come from outside the host, so that it cannot know, names the time to ask again.
     */
    long nextDueNanos();

    /** Takes that job; ids are the caller's. */
    int take();

    /** Class of a job, 0 to 255. This and what follows are hints that reach the agent when a task wakes up for the job. */
    default int classOf(int job) {
        return 0;
    }

    /** Priority of a job, -20 (first) to 19. */
    default int niceOf(int job) {
        return 0;
    }

    /** When a job should be done, on the clock of {@link System#nanoTime}; 0: no deadline. */
    default long deadlineNanos(int job) {
        return 0;
    }

    /** CPU time that a job is expected to need, ns; 0: not known. */
    default long expectedNanos(int job) {
        return 0;
    }

    /** CPUs that a job may use, bit n for CPU n of the first 64; -1: any. A rule, and no hint. */
    default long affinityOf(int job) {
        return -1;
    }

    /** The host has no room for the job. */
    void rejected(int job);

    /**
     * Jobs 0 to {@code jobs} - 1, one every {@code intervalNanos}, the first as soon as it is asked for; 0: all at once. One
     * that the host has no room for ends the run.
     */
    static JobSource every(long intervalNanos, int jobs) {
        return new PacedJobs(intervalNanos, jobs);
    }
}
