package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * Collects times with three significant digits, from 1 ns to one minute; what lies outside counts at the nearer end.
 * {@link #record} does not allocate.
 * <p>
 * Thread rule: one made by {@link #single()} belongs to one thread; one made by {@link #shared()} takes records from
 * any thread, and is read after they stopped.
 */
public final class LatencyHistogram {
    private static final long LOWEST_NANOS = 1;
    private static final long HIGHEST_NANOS = 60_000_000_000L;
    private static final int DIGITS = 3;

    private final Histogram nanos;

    private LatencyHistogram(Histogram nanos) {
        this.nanos = nanos;
    }

    /** For one recording thread. */
    public static LatencyHistogram single() {
        return new LatencyHistogram(new Histogram(LOWEST_NANOS, HIGHEST_NANOS, DIGITS));
    }

    /** For any number of recording threads. */
    public static LatencyHistogram shared() {
        return new LatencyHistogram(new AtomicHistogram(LOWEST_NANOS, HIGHEST_NANOS, DIGITS));
    }

    /** Records one time, nanoseconds. */
    public void record(long timeNanos) {
        nanos.recordValue(Math.clamp(timeNanos, LOWEST_NANOS, HIGHEST_NANOS));
    }

    /** Adds all of another histogram. */
    public void add(LatencyHistogram other) {
        nanos.add(other.nanos);
    }

    /** Forgets everything. */
    public void reset() {
        nanos.reset();
    }

    /** Values recorded. */
    public long count() {
        return nanos.getTotalCount();
    }

    /** Percentiles in microseconds. */
    public Percentiles percentiles() {
        return count() == 0
                ? Percentiles.NONE
                : new Percentiles(count(), micros(50), micros(99), micros(99.9), nanos.getMaxValue() / 1e3);
    }

    private double micros(double percentile) {
        return nanos.getValueAtPercentile(percentile) / 1e3;
    }

    /** The distribution in bars of equal width on a log scale, from the first that is not empty to the last. */
    public List<Bar> bars(int barsPerDecade) {
        List<Bar> bars = new ArrayList<>();
        if (count() == 0) {
            return bars;
        }
        int first = index(nanos.getMinNonZeroValue(), barsPerDecade);
        int last = index(nanos.getMaxValue(), barsPerDecade);
        for (int i = first; i <= last; i++) {
            bars.add(new Bar(edge(i, barsPerDecade) / 1e3, edge(i + 1, barsPerDecade) / 1e3, 0));
        }
        for (var step : nanos.recordedValues()) {
            int at = Math.clamp(index(step.getValueIteratedTo(), barsPerDecade) - first, 0, bars.size() - 1);
            Bar bar = bars.get(at);
            bars.set(at, new Bar(bar.fromMicros(), bar.toMicros(),
                    bar.count() + step.getCountAddedInThisIterationStep()));
        }
        return List.copyOf(bars);
    }

    private static int index(long value, int barsPerDecade) {
        return (int) Math.floor(Math.log10(Math.max(1, value)) * barsPerDecade + 1e-9);
    }

    private static double edge(int index, int barsPerDecade) {
        return Math.pow(10, (double) index / barsPerDecade);
    }
}
