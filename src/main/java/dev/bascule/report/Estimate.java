package dev.bascule.report;

import dev.bascule.json.Json;
import java.util.List;
import java.util.Locale;

/**
 * A mean over independent repeats with its 95 % confidence interval, by Student's t: of a hundred such intervals, about 95
 * hold the true mean. A repeat that has no such figure (NaN) does not count. From one repeat there is a mean and no interval.
 *
 * @param mean of the repeats; NaN of none
 * @param half half the interval's width; NaN of fewer than two
 * @param repeats that had the figure
 */
public record Estimate(double mean, double half, int repeats) {
    /** Two-sided 95 %, for 1 to 30 degrees of freedom. */
    private static final double[] STUDENT = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
            2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060,
            2.056, 2.052, 2.048, 2.045, 2.042 };
    private static final double NORMAL = 1.959964;

    /** Of one figure a repeat. */
    public static Estimate of(List<Double> figures) {
        double[] known = figures.stream().mapToDouble(d -> d).filter(d -> !Double.isNaN(d)).toArray();
        int n = known.length;
        double sum = 0;
        for (double figure : known) {
            sum += figure;
        }
        double mean = n == 0 ? Double.NaN : sum / n;
        double squares = 0;
        for (double figure : known) {
            squares += (figure - mean) * (figure - mean);
        }
        return new Estimate(mean, n < 2 ? Double.NaN : student(n - 1) * Math.sqrt(squares / (n - 1) / n), n);
    }

    /**
     * How much {@code second} is above {@code first}, where figures of one place belong together: the same seed, so the same
     * jobs at the same times. What both have in common is no part of the interval.
     *
     * @throws IllegalArgumentException if one has more than the other
     */
    public static Estimate ofPairs(List<Double> first, List<Double> second) {
        if (first.size() != second.size()) {
            throw new IllegalArgumentException(first.size() + " and " + second.size() + " figures make no pairs");
        }
        Double[] differences = new Double[first.size()];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = second.get(i) - first.get(i);
        }
        return of(List.of(differences));
    }

    /** Student's t that 2.5 % of values are above, to 0.0005. Beyond the table: the first terms of Hill's expansion (1970). */
    static double student(int degrees) {
        double z = NORMAL;
        return degrees <= STUDENT.length
                ? STUDENT[degrees - 1]
                : z + (z * z * z + z) / (4.0 * degrees)
                        + (5 * Math.pow(z, 5) + 16 * z * z * z + 3 * z) / (96.0 * degrees * degrees);
    }

    /** Lower end of the interval. */
    public double low() {
        return mean - half;
    }

    /** Upper end of the interval. */
    public double high() {
        return mean + half;
    }

    /** Whether the interval says that the mean is not {@code value}: false without an interval. */
    public boolean excludes(double value) {
        return value < low() || value > high();
    }

    /** This estimate without its interval, unless the runs are long enough for one. */
    public Estimate known(boolean longEnough) {
        return longEnough ? this : new Estimate(mean, Double.NaN, repeats);
    }

    /** This estimate in another unit. */
    public Estimate times(double factor) {
        return new Estimate(mean * factor, half * Math.abs(factor), repeats);
    }

    /**
     * {@code 12.34 \u00b1 0.41}: two digits of the interval that are not zero; the mean alone of one repeat;
     * {@code 12.34, not settled} of repeats that are too short for an interval.
     */
    public String text() {
        if (Double.isNaN(half)) {
            return Numbers.decimal(mean) + (repeats > 1 && !Double.isNaN(mean) ? ", not settled" : "");
        }
        if (half == 0) {
            return Numbers.decimal(mean) + " \u00b1 0";
        }
        int decimals = (int) Math.clamp(1 - Math.floor(Math.log10(half)), 0, 4);
        String format = "%,." + decimals + "f";
        return String.format(Locale.ROOT, format + " \u00b1 " + format, mean, half);
    }

    /** As {@code mean}, {@code low95}, {@code high95} and {@code repeats}; null for what there is not. */
    public Json.Obj json() {
        return Json.object().putFigure("mean", mean, false).putFigure("low95", low(), false)
                .putFigure("high95", high(), false).put("repeats", repeats);
    }
}
