package dev.bascule.bench;

import java.util.Locale;

/**
 * One line of the output.
 *
 * @param name the row
 * @param unit of {@code java} and {@code other}: ns, us, ms, B/op
 * @param distance near, far, or empty where two cores do not matter
 * @param java the judged side, median over processes; NaN if not measured
 * @param other what it is compared with (C unless {@code otherName} says else); NaN if there is none
 * @param otherName c, jctools, ...; empty if there is none
 * @param value what the limit applies to: the ratio, or {@code java} itself
 * @param worst the same of the slowest process
 * @param limit largest value that passes; NaN for a row that only informs
 * @param goal value it is to reach; NaN if there is none
 * @param everyProcess whether {@code worst} is judged instead of {@code value}
 * @param windows windows per side, all processes together
 * @param processes processes measured
 * @param note paces, or why it was not measured
 * @param died whether a process of this row ended in failure, as one does whose two sides disagree about the data
 */
record Result(String name, String unit, String distance, double java, double other, String otherName, double value,
        double worst, double limit, double goal, boolean everyProcess, int windows, int processes, String note,
        boolean died) {

    /** A row whose processes all lived. */
    Result(String name, String unit, String distance, double java, double other, String otherName, double value,
            double worst, double limit, boolean everyProcess, int windows, int processes, String note) {
        this(name, unit, distance, java, other, otherName, value, worst, limit, Double.NaN, everyProcess, windows,
                processes, note, false);
    }

    /** This row with a goal. */
    Result withGoal(double wanted) {
        return new Result(name, unit, distance, java, other, otherName, value, worst, limit, wanted, everyProcess,
                windows,
                processes, note, died);
    }

    static Result notMeasured(String name, String unit, double limit, String why) {
        return new Result(name, unit, "", Double.NaN, Double.NaN, "", Double.NaN, Double.NaN, limit, false, 0, 0, why);
    }

    /** A process died: whatever the others measured, the row fails. */
    static Result died(String name, String unit, double limit, String why) {
        return new Result(name, unit, "", Double.NaN, Double.NaN, "", Double.NaN, Double.NaN, limit, Double.NaN,
                false, 0, 0, "a process failed: " + why, true);
    }

    /** Whether this row makes the whole run fail. */
    boolean fails() {
        return died || measured() && !passes();
    }

    boolean measured() {
        return !Double.isNaN(value);
    }

    boolean passes() {
        return measured() && (Double.isNaN(limit) || (everyProcess ? worst : value) <= limit);
    }

    String verdict() {
        if (died) {
            return "failed";
        }
        if (!measured()) {
            return "not measured";
        }
        return Double.isNaN(limit) ? "-" : passes() ? "pass" : "over";
    }

    /** Verdict about the goal; a goal that is missed does not make the run fail. */
    String goalVerdict() {
        return Double.isNaN(goal) || !measured() ? "-" : value <= goal ? "met" : "missed";
    }

    static String header() {
        return String.format(Locale.ROOT, "%-26s %-5s %9s %9s %-8s %7s %7s  %7s  %-12s %6s %-6s %7s  %s", "row", "dist",
                "java", "other", "of", "ratio", "worst", "limit", "verdict", "goal", "", "windows", "paces");
    }

    String toText() {
        return String.format(Locale.ROOT, "%-26s %-5s %9s %9s %-8s %7s %7s  %7s  %-12s %6s %-6s %7d  %s", name,
                distance,
                figure(java) + " " + unit, !Double.isNaN(other) ? figure(other) + " " + unit : "", otherName,
                figure(value),
                figure(worst), (everyProcess ? "all " : "") + figure(limit), verdict(), figure(goal), goalVerdict(),
                windows,
                note);
    }

    private static String figure(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }

    String toJson() {
        return String.format(Locale.ROOT,
                "{\"row\":\"%s\",\"unit\":\"%s\",\"distance\":\"%s\",\"java\":%s,\"other\":%s,\"otherName\":\"%s\","
                        + "\"value\":%s,\"worstProcess\":%s,\"limit\":%s,\"limitHoldsFor\":\"%s\",\"verdict\":\"%s\","
                        + "\"goal\":%s,\"goalVerdict\":\"%s\",\"windows\":%d,\"processes\":%d,\"note\":\"%s\"}",
                name, unit, distance, number(java), number(other), otherName, number(value), number(worst),
                number(limit),
                everyProcess ? "every process" : "median process", verdict(), number(goal),
                goalVerdict(), windows, processes, escape(note));
    }

    private static String number(double value) {
        return Double.isNaN(value) || Double.isInfinite(value) ? "null" : String.format(Locale.ROOT, "%.4g", value);
    }

    static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ");
    }
}
