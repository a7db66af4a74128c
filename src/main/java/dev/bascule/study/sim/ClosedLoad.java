package dev.bascule.study.sim;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A fixed number of clients, each of which sends its next job an exponential think time after the last was done. One
 * thread.
 */
public final class ClosedLoad implements SimLoad {
    private final JobMix mix;
    private final SplittableRandom think;
    private final SplittableRandom service;
    private final double meanThinkNanos;
    private final boolean classified;
    private final long[] due;
    private int waiting;

    /**
     * Clients; the policy is not told the kinds of their jobs.
     *
     * @param clients at least 1
     * @param meanThinkNanos mean think time, 0 or more
     */
    public ClosedLoad(JobMix mix, int clients, double meanThinkNanos, long seed) {
        this(mix, clients, meanThinkNanos, seed, false);
    }

    /** A closed load with each kind in a task class of its own. */
    public static ClosedLoad classified(JobMix mix, int clients, double meanThinkNanos, long seed) {
        return new ClosedLoad(mix, clients, meanThinkNanos, seed, true);
    }

    private ClosedLoad(JobMix mix, int clients, double meanThinkNanos, long seed, boolean classified) {
        if (clients < 1 || !(meanThinkNanos >= 0)) {
            throw new IllegalArgumentException("closed load: " + clients + " clients with a think time of "
                    + meanThinkNanos + " ns; at least 1 and at least 0");
        }
        this.mix = mix;
        this.meanThinkNanos = meanThinkNanos;
        this.classified = classified;
        SplittableRandom root = new SplittableRandom(seed);
        think = root.split();
        service = root.split();
        due = new long[clients];
        for (int i = 0; i < clients; i++) {
            send(0);
        }
    }

    private void send(long nowNanos) {
        long at = nowNanos - (long) (StrictMath.log(1 - think.nextDouble()) * meanThinkNanos);
        int place = Arrays.binarySearch(due, 0, waiting, at);
        int insert = place < 0 ? -place - 1 : place;
        System.arraycopy(due, insert, due, insert + 1, waiting - insert);
        due[insert] = at;
        waiting++;
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
        return waiting == 0 ? NO_MORE : due[0];
    }

    @Override
    public void take(SimJob job) {
        waiting--;
        System.arraycopy(due, 1, due, 0, waiting);
        int kind = mix.pick(service);
        job.set(classified ? kind : 0, Math.max(1, Math.round(mix.kinds().get(kind).time().draw(service))));
    }

    @Override
    public void finished(int jobClass, long nowNanos) {
        send(nowNanos);
    }
}
