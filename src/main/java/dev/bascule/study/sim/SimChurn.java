package dev.bascule.study.sim;

/**
 * Changes of waiting tasks that make decisions about them stale: each waiting task's priority changes as a Poisson
 * process.
 *
 * @param perTaskPerSecond rate for each waiting task; 0: none
 * @param seed decides when and whom
 */
public record SimChurn(double perTaskPerSecond, long seed) {
    /** No changes. */
    public static final SimChurn NONE = new SimChurn(0, 0);

    /** Checks the rate. */
    public SimChurn {
        if (!(perTaskPerSecond >= 0) || Double.isInfinite(perTaskPerSecond)) {
            throw new IllegalArgumentException("churn of " + perTaskPerSecond + " per s; it must be 0 or more");
        }
    }
}
