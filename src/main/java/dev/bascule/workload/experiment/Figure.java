package dev.bascule.workload.experiment;

import dev.bascule.report.Estimate;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One figure of an experiment.
 *
 * @param what what it is
 * @param unit its unit
 * @param estimate by the simulation, over independent repeats; or by arithmetic if its kind is {@link Kind#INPUT}
 * @param published its published counterpart; null if there is none
 * @param kind what the value rests on
 * @param choice of a figure that is not predicted: what was chosen, fitted to or put in; else empty
 * @param note what must be known to read it; else empty
 */
public record Figure(String what, String unit, Estimate estimate, @Nullable Published published, Kind kind,
        String choice, String note) {
    /** Ground that a figure rests on. */
    public enum Kind {
        /** No published outcome is among its inputs. */
        PREDICTED,
        /** Parameters were fitted to this very figure, or to its neighbours on the same curve: the deviation is what is left. */
        CALIBRATED,
        /** A free parameter that this project set decides it: shown over that parameter, not as a deviation. */
        CHOSEN,
        /** Arithmetic of published or profile figures: nothing was simulated that could differ. */
        INPUT,
        /** By the live form on this machine, at the scale that its note says: nothing was simulated. */
        MEASURED;

        /** As it is printed. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A published figure.
     *
     * @param low the figure, or the lower end of a range
     * @param high the figure, or the upper end
     * @param source where it was found
     * @param confidence how far it is to be trusted: primary, second-hand, derived, recollection, {@link #OWN}
     */
    public record Published(double low, double high, String source, String confidence) {
        /** Confidence of what nobody published: this project's own analysis. */
        public static final String OWN = "own analysis";

        /** A single figure. */
        public static Published of(double value, String source, String confidence) {
            return new Published(value, value, source, confidence);
        }

        /** A figure of this project's own analysis, which was not published. */
        static Published analysed(double value, String source) {
            return of(value, source, OWN);
        }

        /** Whether it is this project's own analysis. */
        public boolean isOwn() {
            return confidence.equals(OWN);
        }
    }

    /** A predicted figure of one run. */
    public Figure(String what, String unit, double value, @Nullable Published published) {
        this(what, unit, Estimate.of(List.of(value)), published, Kind.PREDICTED, "", "");
    }

    /** A predicted figure without a counterpart. */
    static Figure of(String what, String unit, double value) {
        return new Figure(what, unit, value, null);
    }

    /** This figure, decided by what this project chose. */
    public Figure chosen(String free) {
        return new Figure(what, unit, estimate, published, Kind.CHOSEN, free, note);
    }

    /** This figure, by arithmetic of these. */
    Figure input(String of) {
        return new Figure(what, unit, estimate, published, Kind.INPUT, of, note);
    }

    /** This figure, where parameters were fitted to its curve. */
    public Figure calibrated(String on) {
        return new Figure(what, unit, estimate, published, Kind.CALIBRATED, on, note);
    }

    /**
     * A figure that the live form measured here; the note says at which scale, or why it did not, and then the value is
     * NaN.
     */
    public static Figure measured(String what, String unit, double value, String scale) {
        return new Figure(what, unit, Estimate.of(List.of(value)), null, Kind.MEASURED, "", scale);
    }

    /** This figure with a note, if there is one. */
    Figure noted(String newNote) {
        return new Figure(what, unit, estimate, published, kind, choice, newNote);
    }

    /** Mean over the repeats; NaN if none had it. */
    public double value() {
        return estimate.mean();
    }

    /** One figure of several repeats. All their notes stand, and a mean says how many repeats it leaves out. */
    static Figure over(List<Figure> repeats) {
        Figure first = repeats.getFirst();
        Estimate estimate = Estimate.of(repeats.stream().map(Figure::value).toList());
        int without = repeats.size() - estimate.repeats();
        String censored = without == 0 || estimate.repeats() == 0
                ? ""
                : "censored: " + without + " of " + repeats.size()
                        + " repeats have no such figure, the mean is of the others";
        String notes = Stream.concat(repeats.stream().map(Figure::note), Stream.of(censored))
                .filter(text -> !text.isEmpty()).distinct().collect(Collectors.joining("; "));
        return new Figure(first.what, first.unit, estimate, first.published, first.kind, first.choice, notes);
    }

    /** Whether a deviation from the counterpart says anything. */
    public boolean isCompared() {
        return published != null && (kind == Kind.PREDICTED || kind == Kind.CALIBRATED) && !Double.isNaN(value());
    }

    /** Deviation from the published figure or the nearer end of its range, in percent; 0 within the range. */
    public double deviationPercent() {
        Published p = published;
        double value = value();
        if (p == null || value >= p.low() && value <= p.high()) {
            return 0;
        }
        double nearest = value < p.low() ? p.low() : p.high();
        return nearest == 0 ? 0 : (value / nearest - 1) * 100;
    }
}
