package dev.bascule.host.sim;

/**
 * Times in buckets of at most 0.8 % of their value: 128 per doubling, the buckets of an HdrHistogram with two digits.
 * Not an HdrHistogram, because that one takes mean and largest value from its buckets and here both are exact: queueing
 * theory and the simulated digests compare them. Recording allocates nothing. One thread.
 */
public final class TimeHistogram {
    private static final int SUB_BITS = 7;
    private static final int SUB = 1 << SUB_BITS;

    private final long[] counts = new long[(64 - SUB_BITS) * SUB];
    private long count;
    private double sum;
    private long max;

    /** Records a value of 0 or more. */
    public void record(long value) {
        long v = Math.max(0, value);
        counts[index(v)]++;
        count++;
        sum += v;
        max = Math.max(max, v);
    }

    private static int index(long v) {
        if (v < SUB) {
            return (int) v;
        }
        int shift = 63 - Long.numberOfLeadingZeros(v) - SUB_BITS;
        return (shift + 1) * SUB + (int) (v >>> shift) - SUB;
    }

    private static long upper(int index) {
        if (index < SUB) {
            return index;
        }
        int shift = index / SUB - 1;
        return ((long) (index % SUB + SUB + 1) << shift) - 1;
    }

    /** Values recorded. */
    public long count() {
        return count;
    }

    /** Mean; 0 if empty. */
    public double mean() {
        return count == 0 ? 0 : sum / count;
    }

    /** Largest value. */
    public long max() {
        return max;
    }

    /** Value at or below which {@code percent} of all lie, to 0.8 %; 0 if empty. */
    public long percentile(double percent) {
        long wanted = Math.max(1, (long) Math.ceil(count * percent / 100));
        long below = 0;
        for (int i = 0; i < counts.length; i++) {
            below += counts[i];
            if (below >= wanted) {
                return Math.min(max, upper(i));
            }
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
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                sink.bucket(i == 0 ? 0 : upper(i - 1) + 1, upper(i), counts[i]);
            }
        }
    }

    /** Adds all of another. */
    void add(TimeHistogram other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        count += other.count;
        sum += other.sum;
        max = Math.max(max, other.max);
    }
}
