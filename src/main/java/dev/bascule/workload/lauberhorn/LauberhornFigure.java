package dev.bascule.workload.lauberhorn;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One figure of {@code reproduce lauberhorn}.
 *
 * @param what what it is
 * @param unit its unit
 * @param value of it; NaN: not known, and the source says why
 * @param origin where it is from
 * @param kind what it rests on
 * @param published its published counterpart, in the same unit; NaN if there is none
 * @param source of the published one, what was chosen, what was counted, or why it is not known; may be empty
 */
public record LauberhornFigure(String what, String unit, double value, Origin origin, Kind kind, double published,
        String source) {
    /** Where a figure is from. */
    public enum Origin {
        /** Arithmetic on the costs of the file. */
        COMPUTED,
        /** Virtual time. */
        SIMULATED,
        /** On this machine, in this run, without injected latency. */
        MEASURED;

        /** As it is printed. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Ground that a figure rests on. */
    public enum Kind {
        /** The published counterpart is not among its inputs. */
        PREDICTED,
        /** A constant was fitted to this counterpart. */
        CALIBRATED,
        /** Decided by what this project chose. */
        CHOSEN,
        /** The published figure itself. */
        INPUT,
        /** No model: it was measured here. */
        MEASURED;

        /** As it is printed. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static LauberhornFigure computed(String what, String unit, double value) {
        return new LauberhornFigure(what, unit, value, Origin.COMPUTED, Kind.PREDICTED, Double.NaN, "");
    }

    static LauberhornFigure simulated(String what, String unit, double value) {
        return new LauberhornFigure(what, unit, value, Origin.SIMULATED, Kind.PREDICTED, Double.NaN, "");
    }

    static LauberhornFigure measured(String what, String unit, double value) {
        return new LauberhornFigure(what, unit, value, Origin.MEASURED, Kind.MEASURED, Double.NaN, "");
    }

    LauberhornFigure of(Kind newKind, String why) {
        return new LauberhornFigure(what, unit, value, origin, newKind, published, why);
    }

    LauberhornFigure beside(double counterpart, String where) {
        return new LauberhornFigure(what, unit, value, origin, kind, counterpart, where);
    }

    /** Deviation from the published counterpart in percent; null where it says nothing. */
    public @Nullable Double deviationPercent() {
        boolean compared = kind == Kind.PREDICTED && !Double.isNaN(published) && published != 0;
        return compared ? (value / published - 1) * 100 : null;
    }
}
