package dev.bascule.study.enso;

import java.util.Arrays;

/**
 * Outcome of a timed run.
 *
 * @param sent frames that arrived at the card
 * @param done frames that came out, or that an application took which sends nothing
 * @param packetsPerSecond of those done, without the first fifth; at most what was offered
 * @param frameBytes mean of those done, with check sequence, preamble and gap
 * @param offeredNanos how long frames arrived
 * @param drainNanos from the last that arrived to the last that was done
 * @param latencyNanos of each that was done, in order of size
 * @param notifications what the card told the host, per frame done
 * @param count what crossed the link
 * @param firstMisses accesses per frame that missed the first level of caches
 * @param secondMisses those that missed the second too
 * @param lastMisses those that went to memory
 */
record TimedResult(int sent, int done, double packetsPerSecond, double frameBytes, double offeredNanos,
        double drainNanos, double[] latencyNanos, double notifications, PcieCount count, double firstMisses,
        double secondMisses, double lastMisses) {
    /**
     * Time for which frames may wait in rings at the end of a run that keeps up: the card's own; a twentieth of the run
     * is added.
     */
    private static final double WAITING_NANOS = 40_000;

    /** Sorts a copy. */
    TimedResult {
        latencyNanos = latencyNanos.clone();
        Arrays.sort(latencyNanos);
    }

    /** Latency that {@code share} of all latencies, 0 to 1, do not exceed, us; NaN if there are none. */
    double latencyMicros(double share) {
        return latencyNanos.length == 0
                ? Double.NaN
                : latencyNanos[(int) Math.min(latencyNanos.length - 1, share * latencyNanos.length)] / 1e3;
    }

    /** Millions a second. */
    double mpps() {
        return packetsPerSecond / 1e6;
    }

    /** On the wire. */
    double gbps() {
        return packetsPerSecond * frameBytes * 8 / 1e9;
    }

    /** Share of frames that were lost. */
    double lost() {
        return 1 - (double) done / sent;
    }

    /** Whether all came out and, but for a little, in step with what arrived. */
    boolean keptUp() {
        return done == sent && drainNanos <= WAITING_NANOS + offeredNanos / 20;
    }
}
