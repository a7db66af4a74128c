package dev.bascule.study.sim;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Jobs of a mix that arrive as a Poisson process, however busy the host is. Arrivals and service times have generators
 * of their own, so two transports see the very same jobs. One thread.
 */
public final class OpenLoad implements SimLoad {
    private final JobMix mix;
    private final SplittableRandom arrivals;
    private final SplittableRandom service;
    private final double meanGapNanos;
    private final boolean classified;
    private final long deadlineFactor;
    private final List<Resident> residents;
    private double nextNanos;
    private long nextArrivalNanos;

    private OpenLoad(JobMix mix, double perSecond, long seed, boolean classified, long deadlineFactor,
            List<Resident> residents) {
        if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
            throw new IllegalArgumentException("load: " + perSecond + " jobs/s; it must be more than 0");
        }
        this.mix = mix;
        this.classified = classified;
        this.deadlineFactor = deadlineFactor;
        this.residents = List.copyOf(residents);
        SplittableRandom root = new SplittableRandom(seed);
        arrivals = root.split();
        service = root.split();
        meanGapNanos = 1e9 / perSecond;
        advance();
    }

    /** So many jobs per second; the policy is not told their kinds. */
    public static OpenLoad blind(JobMix mix, double perSecond, long seed) {
        return new OpenLoad(mix, perSecond, seed, false, 0, List.of());
    }

    /** An open load with each kind in a task class of its own. */
    public static OpenLoad classified(JobMix mix, double perSecond, long seed) {
        return new OpenLoad(mix, perSecond, seed, true, 0, List.of());
    }

    /** With a deadline of so many times its service time for each job. */
    public OpenLoad withDeadlines(long factor, long seed) {
        return new OpenLoad(mix, 1e9 / meanGapNanos, seed, classified, factor, residents);
    }

    /** With tasks that are there all the time. */
    public OpenLoad withResidents(List<Resident> tasks, long seed) {
        return new OpenLoad(mix, 1e9 / meanGapNanos, seed, classified, deadlineFactor, tasks);
    }

    private void advance() {
        nextNanos -= StrictMath.log(1 - arrivals.nextDouble()) * meanGapNanos;
        nextArrivalNanos = (long) nextNanos;
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
        advance();
    }

    @Override
    public List<Resident> residents() {
        return residents;
    }
}
