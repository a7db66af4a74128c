package dev.bascule.report;

import dev.bascule.host.TimeHistogram;
import java.util.ArrayList;
import java.util.List;

/**
 * One bar of a histogram.
 *
 * @param fromMicros lower edge, microseconds, inclusive
 * @param toMicros upper edge, exclusive
 * @param count values in between
 */
public record HistogramBar(double fromMicros, double toMicros, long count) {
    /** Times in ns in bars of equal width on a log scale, from the first that is not empty to the last. */
    public static List<HistogramBar> of(TimeHistogram times, int barsPerDecade) {
        List<HistogramBar> bars = new ArrayList<>();
        int[] end = new int[1];
        times.buckets((low, high, number) -> {
            int at = index(high, barsPerDecade);
            for (int i = bars.isEmpty() ? index(low, barsPerDecade) : end[0]; i <= at; i++) {
                bars.add(new HistogramBar(edge(i, barsPerDecade) / 1e3, edge(i + 1, barsPerDecade) / 1e3, 0));
            }
            end[0] = at + 1;
            HistogramBar last = bars.getLast();
            bars.set(bars.size() - 1, new HistogramBar(last.fromMicros(), last.toMicros(), last.count() + number));
        });
        return List.copyOf(bars);
    }

    private static int index(long nanos, int barsPerDecade) {
        return (int) Math.floor(Math.log10(Math.max(1, nanos)) * barsPerDecade + 1e-9);
    }

    private static double edge(int index, int barsPerDecade) {
        return Math.pow(10, (double) index / barsPerDecade);
    }
}
