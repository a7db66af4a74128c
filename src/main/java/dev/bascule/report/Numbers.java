package dev.bascule.report;

import java.util.List;
import java.util.Locale;

/** Numbers for people: three significant digits, thousands separated, a dash for what was not measured. */
public final class Numbers {
    static final String DASH = "\u2013";

    private Numbers() {}

    /** A whole number in groups of three digits; a dash where there is none. */
    public static String count(double value) {
        return value < 0 || Double.isNaN(value) ? DASH : String.format(Locale.ROOT, "%,.0f", value);
    }

    static String decimal(double value) {
        return Double.isFinite(value) && value >= 0 ? digits(value) : DASH;
    }

    /** Three significant digits, at most three of them behind the point. */
    public static String digits(double value) {
        double size = Math.abs(value);
        String pattern = size == 0
                ? "%.0f"
                : size < 0.9995
                        ? "%.3f"
                        : size < 9.995
                                ? "%.2f"
                                : size < 99.95 ? "%.1f" : "%,.0f";
        return String.format(Locale.ROOT, pattern, value);
    }

    /** A number without zeros at the end of its fraction. */
    public static String trimmed(String number) {
        return number.contains(".") ? number.replaceAll("0+$", "").replaceAll("\\.$", "") : number;
    }

    /** A size, exactly: 64K, 16M, 256. */
    public static String bytes(long bytes) {
        int unit = 0;
        long rest = bytes;
        while (rest >= 1024 && rest % 1024 == 0 && unit < 4) {
            rest /= 1024;
            unit++;
        }
        return rest + List.of("", "K", "M", "G", "T").get(unit);
    }

    static String ratio(double value) {
        return Double.isFinite(value) && value >= 0 ? decimal(value) + "x" : DASH;
    }
}
