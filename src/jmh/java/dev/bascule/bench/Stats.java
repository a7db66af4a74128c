package dev.bascule.bench;

import java.util.Arrays;
import java.util.Collection;

/** Order statistics of small samples. */
final class Stats {
    private Stats() {}

    /** The median; NaN of nothing. */
    static double median(Collection<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = sorted.length;
        if (n == 0) {
            return Double.NaN;
        }
        return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    /** The largest; NaN of nothing. */
    static double max(Collection<Double> values) {
        double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
        return Arrays.stream(all).max().orElse(Double.NaN);
    }
}
