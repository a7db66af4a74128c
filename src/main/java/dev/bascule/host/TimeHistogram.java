package dev.bascule.host;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Times in buckets, those of an HdrHistogram (Tene, hdrhistogram.org): each value below {@code 2^(bits + 1)} has its
 * own, and each doubling above has {@code 2^bits}. Recording allocates nothing. No HdrHistogram, because mean and
 * largest value of one thread's records are exact here, which queueing theory and the simulated digests compare, and
 * because that library has no module name.
 * <p>
 * Thread rule: one belongs to one thread; one made by {@link #shared()} takes records from any thread, and is added up
 * and reset after they stopped.
 */
public final class TimeHistogram {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int TWO_DIGITS = 7;
    private static final int THREE_DIGITS = 10;
    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final int GROUP_BITS = 6;

    private final int bits;
    private final long highest;
    private final boolean isShared;
    private final long[] counts;
    /** Whether a group of buckets side by side holds anything: most stay empty, and are not looked at one by one. */
    private final boolean[] used;
    private double sum;
    private long max;

    /** Two digits of any time, for one recording thread. */
    public TimeHistogram() {
        this(TWO_DIGITS, Long.MAX_VALUE);
    }

    /**
     * Empty, for one recording thread.
     *
     * @param bits buckets of a doubling, as a power of two; a value lies within 2^-bits of its bucket's ends
     * @param highest value that has a bucket; what lies above counts as this one
     */
    public TimeHistogram(int bits, long highest) {
        this(bits, highest, false);
    }

    private TimeHistogram(int bits, long highest, boolean isShared) {
        this.bits = bits;
        this.highest = highest;
        this.isShared = isShared;
        counts = new long[bucket(highest) + 1];
        used = new boolean[(counts.length >> GROUP_BITS) + 1];
    }

    /** Three digits up to one minute in ns, for one recording thread. */
    public static TimeHistogram single() {
        return new TimeHistogram(THREE_DIGITS, MINUTE_NANOS);
    }

    /** Three digits up to one minute in ns, for any number of recording threads. */
    public static TimeHistogram shared() {
        return new TimeHistogram(THREE_DIGITS, MINUTE_NANOS, true);
    }

    /** Records one time; below 0 counts as 0. */
    public void record(long time) {
        long value = Math.clamp(time, 0, highest);
        int bucket = bucket(value);
        use(bucket);
        if (isShared) {
            COUNT.getAndAdd(counts, bucket, 1L);
        } else {
            counts[bucket]++;
            sum += value;
            max = Math.max(max, value);
        }
    }

    private void use(int bucket) {
        if (!used[bucket >> GROUP_BITS]) {
            used[bucket >> GROUP_BITS] = true;
        }
    }

    /** Adds all of another of the same precision, which one thread recorded. */
    public void add(TimeHistogram other) {
        for (int i = other.next(0); i < counts.length; i = other.next(i + 1)) {
            use(i);
            counts[i] += other.counts[i];
        }
        sum += other.sum;
        max = Math.max(max, other.max);
    }

    /** Forgets everything. */
    public void reset() {
        Arrays.fill(counts, 0);
        Arrays.fill(used, false);
        sum = 0;
        max = 0;
    }

    /** The first bucket from here on that is not empty; the number of all if there is none. */
    private int next(int from) {
        int i = from;
        while (i < counts.length && (long) COUNT.getOpaque(counts, i) == 0) {
            i = used[i >> GROUP_BITS] ? i + 1 : (i >> GROUP_BITS) + 1 << GROUP_BITS;
        }
        return Math.min(i, counts.length);
    }

    /** Values recorded. */
    public long count() {
        long sum = 0;
        for (int i = next(0); i < counts.length; i = next(i + 1)) {
            sum += counts[i];
        }
        return sum;
    }

    /** Mean; 0 if empty. A shared one does not know it. */
    public double mean() {
        long count = count();
        return count == 0 ? 0 : sum / count;
    }

    /** Largest value. A shared one does not know it. */
    public long max() {
        return max;
    }

    /**
     * Value at or below which {@code percent} of all lie; 0 if empty. Within a bucket the values count as evenly
     * spread, so that runs whose percentiles lie in one bucket still differ.
     */
    public double percentile(double percent) {
        long count = count();
        // the next smaller: a percentage that is not exact in binary does not reach for one value more
        double wanted = Math.nextDown(percent) * count / 100;
        long below = 0;
        for (int i = next(0); i < counts.length; i = next(i + 1)) {
            if (below + counts[i] >= wanted) {
                double part = Math.min(1, (percent * count / 100 - below) / counts[i]);
                long end = isShared ? upper(i) : Math.min(max, upper(i));
                return lower(i) + part * (end - lower(i));
            }
            below += counts[i];
        }
        return 0;
    }

    /** One bucket that holds something. */
    public interface BucketSink {
        /** {@code number} values from {@code low} to {@code high}, both included. */
        void bucket(long low, long high, long number);
    }

    /** All buckets that hold something, from the lowest on. */
    public void buckets(BucketSink sink) {
        for (int i = next(0); i < counts.length; i = next(i + 1)) {
            sink.bucket(lower(i), upper(i), counts[i]);
        }
    }

    private int bucket(long value) {
        int shift = Math.max(0, 63 - Long.numberOfLeadingZeros(value | 1) - bits);
        return (shift << bits) + (int) (value >>> shift);
    }

    private long lower(int bucket) {
        int shift = Math.max(0, (bucket >> bits) - 1);
        return (long) (bucket - (shift << bits)) << shift;
    }

    private long upper(int bucket) {
        return lower(bucket + 1) - 1;
    }
}
