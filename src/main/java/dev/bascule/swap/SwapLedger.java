package dev.bascule.swap;

/**
 * One side's private record of outcomes, compared after a run: a ring of fixed capacity that counts what
 * it overwrites. One thread appends. Allocation-free.
 */
final class SwapLedger {
    /** Host: a and b changed hands. Agent: learned it. */
    public static final int COMMITTED = 1;
    /** Host: the offer was taken back. Agent: learned it. */
    public static final int REVERSED = 2;
    /** Host: token a came into the cell. */
    public static final int ADMITTED = 3;
    /** Host: token a left the cell. */
    public static final int DROPPED = 4;
    /** Host: a new epoch began. */
    public static final int FENCED = 5;
    /** Nothing is written. */
    static final SwapLedger OFF = new SwapLedger(0);

    private static final int STRIDE = 4;

    private final long[] ring;
    private long appended;

    /** A ring of {@code capacity} entries; 0 keeps nothing. */
    SwapLedger(int capacity) {
        ring = new long[capacity * STRIDE];
    }

    void append(int outcome, int cell, int epoch, long n, long a, long b) {
        if (ring.length == 0) {
            return;
        }
        int at = (int) (appended++ % (ring.length / STRIDE)) * STRIDE;
        ring[at] = SwapLine.head(epoch, n) & SwapLine.CONTENT;
        ring[at + 1] = (long) outcome << 32 | cell;
        ring[at + 2] = a;
        ring[at + 3] = b;
    }

    /** Entries that can be read. */
    int size() {
        return (int) Math.min(appended, ring.length / STRIDE);
    }

    /** Entries overwritten; a check is only complete if this is 0. */
    long overwritten() {
        return appended - size();
    }

    /** Outcome of the {@code i}th oldest entry. */
    int outcome(int i) {
        return (int) (ring[at(i) + 1] >>> 32);
    }

    /** Cell of an entry. */
    int cell(int i) {
        return (int) ring[at(i) + 1];
    }

    /** Epoch of an entry. */
    int epoch(int i) {
        return SwapLine.epochOf(ring[at(i)]);
    }

    /** Swap number of an entry. */
    long number(int i) {
        return SwapLine.numberOf(ring[at(i)]);
    }

    /** Token a of an entry: given by the host, or admitted or dropped. */
    long given(int i) {
        return ring[at(i) + 2];
    }

    /** Token b of an entry: received by the host. */
    long received(int i) {
        return ring[at(i) + 3];
    }

    private int at(int i) {
        long first = appended - size();
        return (int) ((first + i) % (ring.length / STRIDE)) * STRIDE;
    }
}
