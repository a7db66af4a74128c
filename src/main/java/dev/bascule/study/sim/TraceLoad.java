package dev.bascule.study.sim;

import java.util.SplittableRandom;

/**
 * Jobs of a {@link JobTrace} in its order, in a class of their own for each of its classes, from a job that the seed
 * picks and round and round; gaps all longer or all shorter than recorded, for another number of jobs per second. One
 * thread.
 */
public final class TraceLoad implements SimLoad {
    private final JobTrace trace;
    private final double stretch;
    private final long deadlineFactor;
    private final long[] means;
    private final long first;
    private long job;
    private long nextArrivalNanos;

    /**
     * @param perSecond jobs per second in the mean
     * @param seed 1 begins with the first job of the trace, others anywhere
     * @param deadlineFactor each job's deadline is so many times its service time after it comes, unless
     *        the trace has deadlines; 0: it has none
     */
    public TraceLoad(JobTrace trace, double perSecond, long seed, long deadlineFactor) {
        this.trace = trace;
        this.deadlineFactor = deadlineFactor;
        stretch = trace.perSecond() / perSecond;
        means = trace.meansNanos();
        first = seed == 1 ? 0 : new SplittableRandom(seed).nextInt(trace.size());
        job = first;
    }

    @Override
    public int classes() {
        return means.length;
    }

    @Override
    public long expectedNanos(int jobClass) {
        return means[jobClass];
    }

    @Override
    public long nextArrivalNanos() {
        return nextArrivalNanos;
    }

    @Override
    public void take(SimJob taken) {
        long demand = trace.serviceNanos(job);
        taken.set(trace.jobClass(job), demand);
        if (deadlineFactor > 0) {
            taken.deadline(nextArrivalNanos + deadlineFactor * demand);
        }
        trace.hint(taken, job, nextArrivalNanos);
        job++;
        nextArrivalNanos = Math.round((trace.arrivalNanos(job) - trace.arrivalNanos(first)) * stretch);
    }
}
