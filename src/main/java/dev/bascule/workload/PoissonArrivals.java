package dev.bascule.workload;

import java.util.SplittableRandom;

/**
 * Open-loop arrivals with exponential gaps: the next request comes when it comes, however busy the server is. Same
 * seed and rate, same times. Not thread-safe; does not allocate.
 */
final class PoissonArrivals {
    private final SplittableRandom random;
    private final double meanGapNanos;
    private double lastNanos;

    /**
     * @param requestsPerSecond
     *            mean rate, more than 0
     * @param seed
     *            decides every gap
     */
    public PoissonArrivals(double requestsPerSecond, long seed) {
        if (!(requestsPerSecond > 0) || Double.isInfinite(requestsPerSecond)) {
            throw new IllegalArgumentException("rate must be more than 0 requests/s: " + requestsPerSecond);
        }
        this.meanGapNanos = 1e9 / requestsPerSecond;
        this.random = new SplittableRandom(seed);
    }

    /** Time of the next arrival, nanoseconds since the start; never goes back. */
    public long nextNanos() {
        lastNanos -= Math.log(1 - random.nextDouble()) * meanGapNanos;
        return (long) lastNanos;
    }
}
