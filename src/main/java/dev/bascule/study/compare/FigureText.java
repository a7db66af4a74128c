package dev.bascule.study.compare;

import dev.bascule.report.Numbers;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Numbers and comparisons in sentences. */
final class FigureText {
    /** Nearer than this to 1, a ratio is no difference: runs on a shared machine differ by as much. */
    private static final double SAME = 0.1;

    private FigureText() {}

    /** Three significant digits. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return "an unknown number of";
        }
        return Math.abs(value) < 0.9995 ? Numbers.trimmed(Numbers.digits(value)) : Numbers.digits(value);
    }

    /** A time with a unit that fits. */
    static String micros(double micros) {
        return !Double.isFinite(micros)
                ? "an unknown time"
                : micros >= 1e6
                        ? number(micros / 1e6) + " s"
                        : micros >= 1e3 ? number(micros / 1e3) + " ms" : number(micros) + " us";
    }

    /** How one figure stands to another. */
    static String times(double value, double reference) {
        if (!Double.isFinite(value) || !Double.isFinite(reference) || reference <= 0) {
            return "not comparable with";
        }
        double ratio = value / reference;
        return Math.abs(ratio - 1) < SAME ? "about the same as" : number(ratio) + " times";
    }

    /** "a 1.00, b 2.00". */
    static <T> String each(List<T> items, java.util.function.Function<T, String> name, ToDoubleFunction<T> value,
            java.util.function.DoubleFunction<String> print) {
        StringBuilder out = new StringBuilder();
        for (T item : items) {
            out.append(out.isEmpty() ? "" : ", ").append(print.apply(value.applyAsDouble(item))).append(" over ")
                    .append(name.apply(item));
        }
        return out.toString();
    }

    /** Whether a figure grew, shrank or stayed between two settings. */
    static String went(double from, double to) {
        if (!Double.isFinite(from) || !Double.isFinite(to)) {
            return "is unknown";
        }
        boolean same = from == to || from > 0 && Math.abs(to / from - 1) < SAME;
        return same
                ? "stayed at about " + number(to)
                : (to > from ? "rose" : "fell") + " from " + number(from) + " to " + number(to);
    }
}
