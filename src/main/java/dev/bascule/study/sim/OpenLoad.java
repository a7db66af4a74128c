package dev.bascule.study.sim;

import dev.bascule.registry.Durations;
import java.util.SplittableRandom;

/**
 * Jobs of a mix that arrive however busy the host is: as a Poisson process, or in {@linkplain Arrivals bursts}.
 * Arrivals and service times have generators of their own, so two transports see the very same jobs. One thread.
 */
public final class OpenLoad implements SimLoad {
    /**
     * Process of arrivals, whose mean rate is the load's: Poisson; batch Poisson, with {@code burst} jobs at once; or
     * on/off (an interrupted Poisson process), a Poisson process while it is on and none while it is off, both for an
     * exponential time. Immutable.
     *
     * @param burst jobs that come at the same time, 1 to 10,000
     * @param onNanos mean time on; 0: always on
     * @param offNanos mean time off
     */
    public record Arrivals(int burst, double onNanos, double offNanos) {
        /** One job at a time, as a Poisson process. */
        public static final Arrivals POISSON = new Arrivals(1, 0, 0);
        private static final int LARGEST_BURST = 10_000;
        private static final String BURSTS = "bursts:";
        private static final String ON_OFF = "onoff:";

        /** Checks the values. */
        public Arrivals {
            if (burst < 1 || burst > LARGEST_BURST) {
                throw new IllegalArgumentException("bursts of " + burst + " jobs: from 1 to " + LARGEST_BURST);
            }
            if (onNanos > 0 != offNanos > 0 || !(onNanos >= 0 && offNanos >= 0)) {
                throw new IllegalArgumentException("on and off are two times above 0");
            }
        }

        /**
         * From {@code poisson}, {@code bursts:SIZE} or {@code onoff:ON:OFF}, two mean times with units.
         *
         * @throws IllegalArgumentException if it is none of them
         */
        public static Arrivals named(String text) {
            try {
                if (text.equals("poisson")) {
                    return POISSON;
                }
                if (text.startsWith(BURSTS)) {
                    return new Arrivals(Integer.parseInt(text.substring(BURSTS.length())), 0, 0);
                }
                String[] times = text.startsWith(ON_OFF)
                        ? text.substring(ON_OFF.length()).split(":", -1)
                        : new String[0];
                if (times.length == 2) {
                    return new Arrivals(1, Durations.parseNanos(times[0]), Durations.parseNanos(times[1]));
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("arrivals=" + text + ": a burst is a whole number of jobs, as "
                        + BURSTS + "16", e);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("arrivals=" + text + ": " + e.getMessage(), e);
            }
            throw new IllegalArgumentException("arrivals=" + text + ": poisson, " + BURSTS + "SIZE as " + BURSTS
                    + "16, or " + ON_OFF + "ON:OFF as " + ON_OFF + "1ms:9ms");
        }

        /**
         * Index of dispersion of the number of arrivals over a long time: its variance by its mean, 1 for Poisson. What
         * a queue remembers grows with it.
         *
         * @param perSecond mean rate
         */
        public double dispersion(double perSecond) {
            return onNanos > 0 ? 1 + 2 * perSecond * 1e-9 * offNanos * offNanos / (onNanos + offNanos) : burst;
        }
    }

    private final JobMix mix;
    private final SplittableRandom arrivals;
    private final SplittableRandom service;
    private final double meanGapNanos;
    private final boolean classified;
    private final long deadlineFactor;
    private final Arrivals process;
    private int left; // of the burst
    private double onUntilNanos;
    private double nextNanos;
    private long nextArrivalNanos;

    private OpenLoad(JobMix mix, double perSecond, long seed, boolean classified, long deadlineFactor,
            Arrivals process) {
        if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
            throw new IllegalArgumentException("load: " + perSecond + " jobs/s; it must be more than 0");
        }
        this.mix = mix;
        this.classified = classified;
        this.deadlineFactor = deadlineFactor;
        SplittableRandom root = new SplittableRandom(seed);
        arrivals = root.split();
        service = root.split();
        meanGapNanos = 1e9 / perSecond;
        this.process = process;
        onUntilNanos = process.onNanos > 0 ? exponential(process.onNanos) : Double.POSITIVE_INFINITY;
        advance();
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
        return new OpenLoad(mix, 1e9 / meanGapNanos, seed, classified, factor, process);
    }

    /** With arrivals by another process, at the same mean rate. */
    public OpenLoad withArrivals(Arrivals other, long seed) {
        return new OpenLoad(mix, 1e9 / meanGapNanos, seed, classified, deadlineFactor, other);
    }

    private double exponential(double meanNanos) {
        return -StrictMath.log(1 - arrivals.nextDouble()) * meanNanos;
    }

    private void advance() {
        if (left == 0) {
            left = process.burst;
            double on = process.onNanos > 0 ? process.onNanos / (process.onNanos + process.offNanos) : 1;
            double afterNanos = exponential(meanGapNanos * process.burst * on);
            while (nextNanos + afterNanos > onUntilNanos) { // what is left of the gap begins when it is on again
                afterNanos -= onUntilNanos - nextNanos;
                nextNanos = onUntilNanos + exponential(process.offNanos);
                onUntilNanos = nextNanos + exponential(process.onNanos);
            }
            nextNanos += afterNanos;
            nextArrivalNanos = (long) nextNanos;
        }
        left--;
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
}
