package dev.bascule.app.enso;

/** Round trips of every packet, one bin per cycle of 5 ns up to 5 ms; longer ones are counted together. */
public final class RttHistogram {
    private static final int BINS = 1_000_000;
    private static final int NANOS_PER_CYCLE = 5;

    private final long[] bins = new long[BINS];
    private long count;
    private long beyond;
    private double sumCycles;
    private long largest;

    /** Empty. */
    RttHistogram() {}

    /** Adds a round trip, an unsigned number of cycles. */
    void add(int cycles) {
        long value = Integer.toUnsignedLong(cycles);
        count++;
        sumCycles += value;
        largest = Math.max(largest, value);
        if (value < BINS) {
            bins[(int) value]++;
        } else {
            beyond++;
        }
    }

    /** Packets. */
    public long count() {
        return count;
    }

    /** Packets that took longer than the last bin. */
    public long beyond() {
        return beyond;
    }

    /** Mean in nanoseconds; NaN when empty. */
    public double meanNanos() {
        return count == 0 ? Double.NaN : sumCycles * NANOS_PER_CYCLE / count;
    }

    /** The round trip that the given share of packets does not exceed, nanoseconds; NaN when empty. */
    public double percentileNanos(double share) {
        if (count == 0) {
            return Double.NaN;
        }
        long wanted = Math.max(1, (long) Math.ceil(share * count));
        long seen = 0;
        for (int i = 0; i < BINS; i++) {
            seen += bins[i];
            if (seen >= wanted) {
                return (double) i * NANOS_PER_CYCLE;
            }
        }
        return (double) largest * NANOS_PER_CYCLE;
    }

    /** The bins that are not empty: nanoseconds and packets, comma separated, one line each. */
    public String csv() {
        StringBuilder out = new StringBuilder("rtt_ns,packets\n");
        for (int i = 0; i < BINS; i++) {
            if (bins[i] > 0) {
                out.append(i * (long) NANOS_PER_CYCLE).append(',').append(bins[i]).append('\n');
            }
        }
        return out.toString();
    }
}
