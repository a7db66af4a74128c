package dev.bascule.study.sim;

import dev.bascule.workload.Arrivals;
import java.util.SplittableRandom;

/**
 * Jobs of a mix that arrive however busy the host is: as a Poisson process, or in {@linkplain Arrivals bursts}.
 * Arrivals and service times have generators of their own, so two transports see the very same jobs. One thread.
 */
public final class OpenLoad implements SimLoad {
    private final JobMix mix;
    private final SplittableRandom service;
    private final double perSecond;
    private final boolean classified;
    private final long deadlineFactor;
    private final Arrivals process;
    private final Arrivals.Times times;
    private long nextArrivalNanos;

    private OpenLoad(JobMix mix, double perSecond, long seed, boolean classified, long deadlineFactor,
            Arrivals process) {
        this.mix = mix;
        this.classified = classified;
        this.deadlineFactor = deadlineFactor;
        SplittableRandom root = new SplittableRandom(seed);
        times = process.times(perSecond, root.split());
        service = root.split();
        this.perSecond = perSecond;
        this.process = process;
        nextArrivalNanos = times.nextNanos();
    }

    /** So many jobs per second; the policy is not told their kinds. */
    public static OpenLoad blind(JobMix mix, double perSecond, long seed) {
        return new OpenLoad(mix, perSecond, seed, false, 0, Arrivals.POISSON);
    }

    /** An open load with each kind in a task class of its own. */
    public static OpenLoad classified(JobMix mix, double perSecond, long seed) {
        return new OpenLoad(mix, perSecond, seed, true, 0, Arrivals.POISSON);
    }

    /** With a deadline of so many times its service time for each job. */
    public OpenLoad withDeadlines(long factor, long seed) {
        return new OpenLoad(mix, perSecond, seed, classified, factor, process);
    }

    /** With arrivals by another process, at the same mean rate. */
    public OpenLoad withArrivals(Arrivals other, long seed) {
        return new OpenLoad(mix, perSecond, seed, classified, deadlineFactor, other);
    }

    @Override
    public int classes() {
        return classified ? mix.kinds().size() : 1;
    }

    @Override
    public long expectedNanos(int jobClass) {
        return Math.round(classified ? mix.kinds().get(jobClass).time().mean() : mix.meanNanos());
    }

    @Override
    public long nextArrivalNanos() {
        return nextArrivalNanos;
    }

    @Override
    public void take(SimJob job) {
        int kind = mix.pick(service);
        long demand = Math.max(1, Math.round(mix.kinds().get(kind).time().draw(service)));
        job.set(classified ? kind : 0, demand);
        if (deadlineFactor > 0) {
            job.deadline(nextArrivalNanos + deadlineFactor * demand);
        }
        nextArrivalNanos = times.nextNanos();
    }
}
