package dev.bascule.study.experiment;

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
 * @param estimate by the simulation, over independent repeats; or by arithmetic that {@code choice} names
 * @param published its published counterpart; null if there is none
 * @param kind what the value rests on
 * @param choice of a figure that is not predicted: what was chosen, fitted to, put in or is the limit; else empty
 * @param note what must be known to read it; else empty
 */
public record Figure(String what, String unit, Estimate estimate, @Nullable Published published, Kind kind,
        String choice, String note) {
    /** Ground that a figure rests on. */
    public enum Kind {
        /** It has a published counterpart, not among its inputs, and nothing that this project chose decides it. */
        PREDICTED,
        /** Follows from the inputs, by simulation or arithmetic, where nothing was published that could differ. */
        COMPUTED,
        /** Parameters were fitted to this very figure, or to its neighbours on the same curve: the deviation is what is left. */
        CALIBRATED,
        /** A free parameter that this project set decides it: shown over that parameter, not as a deviation. */
        CHOSEN,
        /** A limit of what was modelled decides it, as a line's rate does: all that comes so far agrees. */
        LIMIT,
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

    /** A figure of one run: predicted if it has a published counterpart, else computed. */
    public Figure(String what, String unit, double value, @Nullable Published published) {
        this(what, unit, Estimate.of(List.of(value)), published,
                published == null || published.isOwn() ? Kind.COMPUTED : Kind.PREDICTED, "", "");
    }

    /** A computed figure without a counterpart. */
    static Figure of(String what, String unit, double value) {
        return new Figure(what, unit, value, null);
    }

    /** This figure, decided by what this project chose. */
    public Figure chosen(String free) {
        return new Figure(what, unit, estimate, published, Kind.CHOSEN, free, note);
    }

    /** This figure, by arithmetic of these. */
    public Figure computed(String of) {
        return new Figure(what, unit, estimate, published, Kind.COMPUTED, of, note);
    }

    /** This figure, decided by this limit if it comes within a hundredth of it. */
    public Figure limitedBy(String limit, double least) {
        return value() < 0.99 * least ? this : new Figure(what, unit, estimate, published, Kind.LIMIT, limit, note);
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

    /** This figure with a published counterpart. */
    public Figure beside(Published counterpart) {
        return new Figure(what, unit, estimate, counterpart, kind, choice, note);
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
        boolean free = kind == Kind.PREDICTED || kind == Kind.CALIBRATED
                || kind == Kind.COMPUTED && choice.isEmpty();
        return published != null && free && !Double.isNaN(value());
    }

    /**
     * Whether a deviation is a difference: of percentages, whose ratio says little, and where the signs differ or a
     * zero was published.
     */
    public boolean isDifference() {
        return unit.equals("%") || !(value() * nearest() > 0);
    }

    /** The published figure, or the nearer end of its range; the value itself within it, or without a counterpart. */
    private double nearest() {
        Published p = published;
        double value = value();
        return p == null ? value : Math.clamp(value, p.low(), p.high());
    }

    /**
     * Deviation from the published figure or the nearer end of its range, 0 within the range: in the figure's unit if
     * it {@linkplain #isDifference is a difference}, else in percent.
     */
    public double deviation() {
        double nearest = nearest();
        return value() == nearest ? 0 : isDifference() ? value() - nearest : (value() / nearest - 1) * 100;
    }

    /** The deviation as it is printed: in percent, or in points of a percentage. */
    public String deviationText() {
        if (!isDifference()) {
            return String.format(Locale.ROOT, "%+.0f %%", deviation());
        }
        return String.format(Locale.ROOT, "%+.1f %s", deviation(), unit.equals("%") ? "points" : unit);
    }

    /** Whether it lies within 15 % of what was published, or within 5 points where both are percentages. */
    public boolean isClose() {
        return isDifference()
                ? unit.equals("%") && Math.abs(deviation()) <= 5 || deviation() == 0
                : Math.abs(deviation()) <= 15;
    }
}
