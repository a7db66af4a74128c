package dev.bascule.workload.experiment;

import org.jspecify.annotations.Nullable;

/**
 * One predicted figure.
 *
 * @param what what it is
 * @param unit its unit
 * @param predicted by the simulation
 * @param published its published counterpart; null if there is none
 */
public record Figure(String what, String unit, double predicted, @Nullable Published published) {
    /**
     * A published figure.
     *
     * @param low the figure, or the lower end of a range
     * @param high the figure, or the upper end
     * @param source where it was found
     * @param confidence how far it is to be trusted: primary, second-hand, derived, recollection
     */
    public record Published(double low, double high, String source, String confidence) {
        /** A single figure. */
        public static Published of(double value, String source, String confidence) {
            return new Published(value, value, source, confidence);
        }
    }

    /** Without a counterpart. */
    static Figure of(String what, String unit, double predicted) {
        return new Figure(what, unit, predicted, null);
    }

    /** Deviation from the published figure or the nearer end of its range, in percent; 0 within the range. */
    public double deviationPercent() {
        Published p = published;
        if (p == null || predicted >= p.low() && predicted <= p.high()) {
            return 0;
        }
        double nearest = predicted < p.low() ? p.low() : p.high();
        return nearest == 0 ? 0 : (predicted / nearest - 1) * 100;
    }
}
