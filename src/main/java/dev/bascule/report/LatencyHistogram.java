package dev.bascule.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntToLongFunction;

/**
 * Collects times with three significant digits, from 1 ns to one minute; what lies outside counts at the nearer end.
 * {@link #record} does not allocate. Its buckets are those of HdrHistogram with three digits, whose percentiles it gives
 * (Tene, hdrhistogram.org); the library itself has no module name, and whoever requires this module would require it too.
 * <p>
 * Thread rule: one made by {@link #single()} belongs to one thread; one made by {@link #shared()} takes records from
 * any thread, and is read after they stopped.
 */
public final class LatencyHistogram {
    private static final long LOWEST_NANOS = 1;
    private static final long HIGHEST_NANOS = 60_000_000_000L;
    /** Buckets in the upper half of a doubling: the first power of two that holds 10^3. */
    private static final int HALF_BITS = 10;
    private static final int HALF = 1 << HALF_BITS;
    private static final int GROUP_BITS = 6;

    private final AtomicLongArray counts = new AtomicLongArray(bucket(HIGHEST_NANOS) + 1);
    /** Whether anything was recorded in so many buckets side by side: most stay empty, and are not looked at one by one. */
    private final boolean[] used = new boolean[(counts.length() >> GROUP_BITS) + 1];
    private final boolean isShared;

    private LatencyHistogram(boolean isShared) {
        this.isShared = isShared;
    }

    /** For one recording thread. */
    public static LatencyHistogram single() {
        return new LatencyHistogram(false);
    }

    /** For any number of recording threads. */
    public static LatencyHistogram shared() {
        return new LatencyHistogram(true);
    }

    /** Records one time, nanoseconds. */
    public void record(long timeNanos) {
        int bucket = bucket(Math.clamp(timeNanos, LOWEST_NANOS, HIGHEST_NANOS));
        use(bucket);
        if (isShared) {
            counts.getAndIncrement(bucket);
        } else {
            counts.setPlain(bucket, counts.getPlain(bucket) + 1);
        }
    }

    private void use(int bucket) {
        if (!used[bucket >> GROUP_BITS]) {
            used[bucket >> GROUP_BITS] = true;
        }
    }

    /** Adds all of another histogram. */
    public void add(LatencyHistogram other) {
        for (int i = other.next(0); i < counts.length(); i = other.next(i + 1)) {
            use(i);
            counts.getAndAdd(i, other.counts.get(i));
        }
    }

    /** The first bucket from here on that is not empty; the number of all if there is none. */
    private int next(int from) {
        int i = from;
        while (i < counts.length() && counts.get(i) == 0) {
            i = used[i >> GROUP_BITS] ? i + 1 : (i >> GROUP_BITS) + 1 << GROUP_BITS;
        }
        return Math.min(i, counts.length());
    }

    /** Forgets everything. */
    public void reset() {
        for (int i = 0; i < counts.length(); i++) {
            counts.set(i, 0);
        }
        Arrays.fill(used, false);
    }

    /** Values recorded. */
    public long count() {
        long sum = 0;
        for (int i = 0; i < counts.length(); i++) {
            sum += counts.get(i);
        }
        return sum;
    }

    /** Percentiles in microseconds. */
    public Percentiles percentiles() {
        long count = count();
        return count == 0
                ? Percentiles.NONE
                : new Percentiles(count, micros(50, count), micros(99, count), micros(99.9, count),
                        highest(last()) / 1e3);
    }

    private double micros(double percentile, long count) {
        // the next smaller: a percentage that is not exact in binary does not reach for one value more
        long wanted = Math.max(1, (long) Math.ceil(Math.nextDown(percentile) * count / 100));
        int bucket = 0;
        for (long below = counts.get(0); below < wanted; below += counts.get(bucket)) {
            bucket++;
        }
        return highest(bucket) / 1e3;
    }

    /**
     * Adds how many times lie up to each bound and above the one before; the last count takes all above.
     *
     * @param bounds rising, ns
     * @param counts one more than there are bounds
     * @return the sum of all times, ns, to three digits as they are
     */
    public long addTo(IntToLongFunction bounds, long[] counts) {
        long sum = 0;
        int at = 0;
        for (int i = next(0); i < this.counts.length(); i = next(i + 1)) {
            long count = this.counts.get(i);
            long middle = (lowest(i) + highest(i)) >>> 1;
            while (at < counts.length - 1 && middle > bounds.applyAsLong(at)) {
                at++;
            }
            counts[at] += count;
            sum += count * middle;
        }
        return sum;
    }

    /** The distribution in bars of equal width on a log scale, from the first that is not empty to the last. */
    public List<HistogramBar> bars(int barsPerDecade) {
        List<HistogramBar> bars = new ArrayList<>();
        if (count() == 0) {
            return bars;
        }
        int low = 0;
        while (counts.get(low) == 0) {
            low++;
        }
        int first = index(lowest(low), barsPerDecade);
        int last = index(highest(last()), barsPerDecade);
        for (int i = first; i <= last; i++) {
            bars.add(new HistogramBar(edge(i, barsPerDecade) / 1e3, edge(i + 1, barsPerDecade) / 1e3, 0));
        }
        for (int i = low; i < counts.length(); i++) {
            if (counts.get(i) > 0) {
                int at = Math.clamp(index(highest(i), barsPerDecade) - first, 0, bars.size() - 1);
                HistogramBar bar = bars.get(at);
                bars.set(at, new HistogramBar(bar.fromMicros(), bar.toMicros(), bar.count() + counts.get(i)));
            }
        }
        return List.copyOf(bars);
    }

    private int last() {
        int last = counts.length() - 1;
        while (counts.get(last) == 0) {
            last--;
        }
        return last;
    }

    /** Below 2 * HALF a bucket for each nanosecond, then HALF of them for each doubling. */
    private static int bucket(long nanos) {
        int shift = doublings(nanos);
        return (shift << HALF_BITS) + (int) (nanos >>> shift);
    }

    private static int doublings(long nanos) {
        return Math.max(0, 63 - Long.numberOfLeadingZeros(nanos | 1) - HALF_BITS);
    }

    private static long lowest(int bucket) {
        int shift = Math.max(0, (bucket >> HALF_BITS) - 1);
        return (long) (bucket - (shift << HALF_BITS)) << shift;
    }

    private static long highest(int bucket) {
        return lowest(bucket + 1) - 1;
    }

    private static int index(long value, int barsPerDecade) {
        return (int) Math.floor(Math.log10(Math.max(1, value)) * barsPerDecade + 1e-9);
    }

    private static double edge(int index, int barsPerDecade) {
        return Math.pow(10, (double) index / barsPerDecade);
    }
}
