package dev.bascule.study.lauberhorn;

import java.util.Arrays;

/**
 * Result of a {@link MixLoad} on one system, in virtual time.
 *
 * @param system its name
 * @param latencyNanos from due to answered, of the requests after the warm-up, sorted
 * @param answered requests
 * @param refused requests
 * @param lastNanos when the last one was answered
 * @param busyNanos time that cores spent, on requests and on everything else
 * @param switches times that a core changed the process
 */
record MixResult(String system, long[] latencyNanos, long answered, long refused, long lastNanos, long busyNanos,
        long switches) {
    static MixResult of(String system, long[] all, long refused, long lastNanos, long busyNanos, long switches) {
        long[] late = Arrays.stream(all, all.length / 10, all.length).filter(nanos -> nanos >= 0).sorted().toArray();
        long answered = Arrays.stream(all).filter(nanos -> nanos >= 0).count();
        return new MixResult(system, late, answered, refused, lastNanos, busyNanos, switches);
    }

    /** A percentile, us; NaN if nothing was answered. */
    double micros(double percent) {
        if (latencyNanos.length == 0) {
            return Double.NaN;
        }
        int at = (int) Math.ceil(percent / 100 * latencyNanos.length) - 1;
        return latencyNanos[Math.clamp(at, 0, latencyNanos.length - 1)] / 1e3;
    }
}
