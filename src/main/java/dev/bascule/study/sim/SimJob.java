package dev.bascule.study.sim;

/**
 * One job as a {@link SimLoad} describes it: how much CPU time it needs, and perhaps a pause in the middle. The object is
 * reused for every job; what a job does not set is 0, or as its class has it.
 */
public final class SimJob {
    /** Expected CPU time of a job that says none of its own: that of its class. */
    static final long OF_CLASS = -1;

    private int jobClass;
    private long demandNanos;
    private long deadlineNanos;
    private long expectedNanos;
    private long pauseAfterNanos;
    private long pauseNanos;

    /** Starts a job of a class that needs {@code demandNanos} of an undisturbed CPU, at least 1 ns. */
    public SimJob set(int ofClass, long demand) {
        jobClass = ofClass;
        demandNanos = Math.max(1, demand);
        deadlineNanos = 0;
        expectedNanos = OF_CLASS;
        pauseAfterNanos = 0;
        pauseNanos = 0;
        return this;
    }

    /** When it should be done, ns of virtual time: a hint to the policy; 0: none. */
    public SimJob deadline(long nanos) {
        deadlineNanos = nanos;
        return this;
    }

    /** CPU time that it is expected to need, ns: a hint to the policy; 0: not known. Without it, that of its class. */
    public SimJob expected(long nanos) {
        expectedNanos = nanos;
        return this;
    }

    /** After {@code afterNanos} of work it waits for {@code nanos}, as for a disk; 0 of waiting is a yield. */
    public SimJob pause(long afterNanos, long nanos) {
        pauseAfterNanos = afterNanos;
        pauseNanos = nanos;
        return this;
    }

    /** Class of the job. */
    public int jobClass() {
        return jobClass;
    }

    /** CPU time it needs. */
    public long demandNanos() {
        return demandNanos;
    }

    /** Deadline of the job, ns; 0: none. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** Expected CPU time, ns; 0: not known; below 0: that of its class. */
    public long expectedNanos() {
        return expectedNanos;
    }

    /** Work before its pause; 0: no pause. */
    public long pauseAfterNanos() {
        return pauseAfterNanos;
    }

    /** Length of its pause. */
    public long pauseNanos() {
        return pauseNanos;
    }
}
