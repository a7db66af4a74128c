package dev.bascule.host;

/**
 * The distributions of a {@link CounterPage}: how many times were up to each of {@link #bound}, and above the one before.
 * They only grow.
 */
public enum Distribution {
    /** From the moment a request was due until its end. */
    REQUEST_LATENCY,
    /** From what the agent saw (T1) to the enforcement of its decision (T3). */
    DECISION_WINDOW;

    /** Bounds of each: ten a decade from 100 ns to 10 s; what is longer has a place of its own behind them. */
    public static final int BOUNDS = 81;

    /** Renard's series R10, whose 1, 2 and 5 are the usual ones. */
    private static final int[] DECADE = { 100, 125, 160, 200, 250, 315, 400, 500, 630, 800 };

    /** A bound, ns; that of {@link #BOUNDS} is endless. */
    public static long bound(int index) {
        if (index == BOUNDS) {
            return Long.MAX_VALUE;
        }
        long nanos = DECADE[index % DECADE.length];
        for (int decade = index / DECADE.length; decade > 0; decade--) {
            nanos *= 10;
        }
        return nanos;
    }
}
