package dev.bascule.workload;

import dev.bascule.registry.Durations;
import java.util.SplittableRandom;

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

    /** The words from which it is made. */
    @Override
    public String toString() {
        return onNanos > 0
                ? ON_OFF + Math.round(onNanos) + "ns:" + Math.round(offNanos) + "ns"
                : burst > 1 ? BURSTS + burst : "poisson";
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

    /** Most requests to reckon with in a time that brings so many in the mean; there are more once in a lifetime. */
    double most(double mean, double perSecond) {
        double always = onNanos > 0 ? mean * (onNanos + offNanos) / onNanos : mean;
        double aTimeOn = perSecond * 1e-9 * (onNanos + offNanos); // whose length is exponential
        double usual = mean + 8 * Math.sqrt(mean * dispersion(perSecond)) + 40 * aTimeOn;
        return Math.min(always + 8 * Math.sqrt(always * burst), usual) + 16 * burst;
    }

    /**
     * Times of such a process at a mean rate.
     *
     * @throws IllegalArgumentException if the rate is not above 0
     */
    public Times times(double perSecond, SplittableRandom random) {
        return new Times(this, perSecond, random);
    }

    /** Times of arrivals, one after the other: open-loop, however busy the server is. One thread; does not allocate. */
    public static final class Times {
        private final Arrivals process;
        private final double meanGapNanos;
        private final SplittableRandom random;
        private int left; // of the burst
        private double onUntilNanos;
        private double nextNanos;

        private Times(Arrivals process, double perSecond, SplittableRandom random) {
            if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
                throw new IllegalArgumentException("load: " + perSecond + " jobs/s; it must be more than 0");
            }
            this.process = process;
            this.random = random;
            meanGapNanos = 1e9 / perSecond;
            onUntilNanos = process.onNanos > 0 ? exponential(process.onNanos) : Double.POSITIVE_INFINITY;
        }

        private double exponential(double meanNanos) {
            return -StrictMath.log(1 - random.nextDouble()) * meanNanos;
        }

        /** Time of the next arrival, ns since the start; never goes back. */
        public long nextNanos() {
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
            }
            left--;
            return (long) nextNanos;
        }
    }
}
