package dev.bascule.swap;

/**
 * The bounds of a cell. All times are assumptions about the agent, never about truth: a window that is too short costs
 * one reversal, nothing else.
 *
 * @param windowNanos how long an offer stays open
 * @param holdNanos by how much each HOLD extends the window
 * @param maxHolds HOLDs granted per offer, at most 4095
 * @param suspectAfter reversals in a row after which the agent is suspected
 * @param lastNumber the highest swap number of an epoch; a fence comes before the number wraps
 */
public record SwapLimits(int windowNanos, int holdNanos, int maxHolds, int suspectAfter, long lastNumber) {
    /** One before the wrap would be reached. */
    public static final long LAST_NUMBER = 0xFFFF_FFFEL;
    /** Soft window 100 us, as much again for each of 8 holds; suspicion after 16 reversals in a row. */
    static final SwapLimits DEFAULT = new SwapLimits(100_000, 100_000, 8, 16, LAST_NUMBER);

    public SwapLimits {
        if (windowNanos <= 0 || holdNanos < 0 || maxHolds < 0 || maxHolds > 0xFFF || suspectAfter <= 0
                || lastNumber <= 0 || lastNumber > LAST_NUMBER) {
            throw new IllegalArgumentException("swap limits out of range: window " + windowNanos + " ns, hold "
                    + holdNanos + " ns, " + maxHolds + " holds, suspect after " + suspectAfter + ", last number "
                    + lastNumber + "; want positive times, at most 4095 holds and a number below 2^32 - 1");
        }
    }
}
