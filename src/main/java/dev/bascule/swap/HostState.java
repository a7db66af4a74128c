package dev.bascule.swap;

/**
 * The host's knowledge of one cell: the state of {@link HostMachine}. Mutable and reused; fields below {@code out} are
 * results of the last step.
 */
final class HostState {
    static final int IDLE = 0;
    static final int OFFERED = 1;
    /** Tokens a record has room for. */
    static final int CAPACITY = 6;

    final int cell;
    int epoch = 1;
    int incarnation = 1;
    int phase = IDLE;
    /** Number of the newest swap of the epoch. */
    long n;
    /** L: number of the newest committed swap of the epoch. */
    long last;
    /** Token on offer, frozen while {@link #OFFERED}. */
    long offered = Token.NONE;
    /** Digest of the offer as written; the reflection must echo it. */
    long offerDigest;
    long deadlineNanos;
    int lastHold;
    /** Load hint that goes with every host line, 16 bits. */
    int load;
    /** Reversals in a row. */
    int reversals;
    final long[] held = new long[CAPACITY];
    int heldCount;

    /** The line to write when a step says {@link SwapAction#WRITE}; the open offer while {@link #OFFERED}. */
    final SwapLine out = new SwapLine();
    long given = Token.NONE;
    long received = Token.NONE;
    long argument0;
    long argument1;

    HostState(int cell) {
        if (cell < 0 || cell > 0xFFF) {
            throw new IllegalArgumentException("cell " + cell + " out of range 0..4095");
        }
        this.cell = cell;
    }

    boolean holds(long token) {
        return indexOf(token) >= 0;
    }

    int indexOf(long token) {
        for (int i = 0; i < heldCount; i++) {
            if (held[i] == token) {
                return i;
            }
        }
        return -1;
    }

    void remove(long token) {
        int at = indexOf(token);
        if (at >= 0) {
            held[at] = held[--heldCount];
            held[heldCount] = 0;
        }
    }

    void add(long token) {
        held[heldCount++] = token;
    }
}
