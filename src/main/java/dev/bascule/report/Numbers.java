package dev.bascule.report;

import java.util.Locale;

/** Numbers for people: three significant digits, thousands separated, a dash for what was not measured. */
final class Numbers {
    static final String DASH = "\u2013";

    private Numbers() {}

    static String count(double value) {
        return value < 0 || Double.isNaN(value) ? DASH : String.format(Locale.ROOT, "%,.0f", value);
    }

    static String decimal(double value) {
        if (!Double.isFinite(value) || value < 0) {
            return DASH;
        }
        String pattern = value == 0
                ? "%.0f"
                : value < 0.9995
                        ? "%.3f"
                        : value < 9.995
                                ? "%.2f"
                                : value < 99.95 ? "%.1f" : "%,.0f";
        return String.format(Locale.ROOT, pattern, value);
    }

    static String ratio(double value) {
        return Double.isFinite(value) && value >= 0 ? decimal(value) + "x" : DASH;
    }
}
