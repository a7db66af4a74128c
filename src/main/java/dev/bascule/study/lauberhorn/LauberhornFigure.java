package dev.bascule.study.lauberhorn;

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
        /** It has a published counterpart, which is not among its inputs. */
        PREDICTED,
        /** Follows from the inputs; the published figure is one of them, or there is none. */
        COMPUTED,
        /** A constant was fitted to this counterpart. */
        CALIBRATED,
        /** A bound: what was modelled lacks a cost, so that the real figure lies beyond. */
        LIMIT,
        /** Decided by what this project chose. */
        CHOSEN,
        /** No model: it was measured here. */
        MEASURED;

        /** As it is printed. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static LauberhornFigure computed(String what, String unit, double value) {
        return new LauberhornFigure(what, unit, value, Origin.COMPUTED, Kind.COMPUTED, Double.NaN, "");
    }

    static LauberhornFigure simulated(String what, String unit, double value) {
        return new LauberhornFigure(what, unit, value, Origin.SIMULATED, Kind.COMPUTED, Double.NaN, "");
    }

    static LauberhornFigure measured(String what, String unit, double value) {
        return new LauberhornFigure(what, unit, value, Origin.MEASURED, Kind.MEASURED, Double.NaN, "");
    }

    LauberhornFigure of(Kind newKind, String why) {
        return new LauberhornFigure(what, unit, value, origin, newKind, published, why);
    }

    /** This figure, predicted beside a published one. */
    LauberhornFigure beside(double counterpart, String where) {
        return new LauberhornFigure(what, unit, value, origin, Kind.PREDICTED, counterpart, where);
    }

    /** This figure with words about it. */
    LauberhornFigure noted(String words) {
        return new LauberhornFigure(what, unit, value, origin, kind, published, words);
    }

    /** Deviation from the published counterpart in percent; null where it says nothing. */
    public @Nullable Double deviationPercent() {
        return kind == Kind.PREDICTED ? (value / published - 1) * 100 : null;
    }
}
