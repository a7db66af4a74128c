package dev.bascule.study.lauberhorn;

import java.util.SplittableRandom;

/**
 * Requests of many services that come in bursts: each service is silent for a time, then sends a burst, both exponential.
 * The services are alike and independent, so their sum is a load of the whole machine, while at any moment few of them have
 * work. Drawn once, so that every system gets the same requests.
 *
 * @param services how many
 * @param dueNanos when each request is due, rising
 * @param service whose it is
 * @param workNanos what it needs of a core
 */
record MixLoad(int services, long[] dueNanos, int[] service, long[] workNanos) {
    /**
     * Draws a load.
     *
     * @param count requests
     * @param load part of what the cores could do if nothing but the work took time
     * @param burst requests of a burst, mean
     * @param meanWorkNanos exponential
     * @param gapNanos between requests of a burst, mean
     */
    static MixLoad draw(int services, int cores, int count, double load, double burst, double meanWorkNanos,
            double gapNanos, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double perNano = load * cores / meanWorkNanos / services;
        double cycleNanos = burst / perNano;
        double silentNanos = Math.max(1, cycleNanos - (burst - 1) * gapNanos);
        long[] next = new long[services];
        long[] left = new long[services];
        for (int s = 0; s < services; s++) {
            next[s] = (long) exponential(random, cycleNanos);
            left[s] = burstOf(random, burst);
        }
        long[] due = new long[count];
        int[] of = new int[count];
        long[] work = new long[count];
        for (int i = 0; i < count; i++) {
            int first = 0;
            for (int s = 1; s < services; s++) {
                first = next[s] < next[first] ? s : first;
            }
            due[i] = next[first];
            of[i] = first;
            work[i] = Math.max(1, (long) exponential(random, meanWorkNanos));
            boolean isOver = --left[first] <= 0;
            next[first] += 1 + (long) exponential(random, isOver ? silentNanos : gapNanos);
            if (isOver) {
                left[first] = burstOf(random, burst);
            }
        }
        return new MixLoad(services, due, of, work);
    }

    private static double exponential(SplittableRandom random, double mean) {
        return -Math.log(1 - random.nextDouble()) * mean;
    }

    /** Geometric, at least 1. */
    private static long burstOf(SplittableRandom random, double mean) {
        return 1 + (long) (Math.log(1 - random.nextDouble()) / Math.log(1 - 1 / Math.max(1.000_001, mean)));
    }

    int count() {
        return dueNanos.length;
    }
}
