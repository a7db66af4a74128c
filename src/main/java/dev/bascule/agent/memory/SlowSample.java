package dev.bascule.agent.memory;

import java.util.Arrays;

/**
 * The host's own look at slow memory, which no agent can ask less of. In each period a sixteenth of the batches is scanned, to
 * clear their access bits, and that of the period before a second time: what it shows then was touched in one period. The
 * sum over {@value #PERIODS} periods, in which each batch had its turn, is what a period touches.
 * <p>
 * Thread rule: the thread of the {@link MemoryHost}. Allocates nothing after construction.
 */
final class SlowSample {
    /** Periods in which each batch is measured once. */
    static final int PERIODS = 16;

    private final long[] measured = new long[PERIODS];
    private long sum;

    /** Whether it is a slow batch's turn, to be cleared or to be measured. */
    boolean isDue(int batch, int period) {
        return isFirst(batch, period) || isMeasured(batch, period);
    }

    private static boolean isFirst(int batch, int period) {
        return (batch - period & PERIODS - 1) == 0;
    }

    /** Whether what a scan shows now was touched in the last period alone. */
    boolean isMeasured(int batch, int period) {
        return isFirst(batch, period - 1);
    }

    /** A period begins: what was measured a round ago is forgotten. */
    void beginPeriod(int period) {
        int at = period & PERIODS - 1;
        sum -= measured[at];
        measured[at] = 0;
    }

    /** Slow accesses that the scan of a measured batch has shown. */
    void add(long slowAccesses, int period) {
        measured[period & PERIODS - 1] += slowAccesses;
        sum += slowAccesses;
    }

    /** The safeguard has acted: what was measured before is no reason to act again. */
    void clear() {
        Arrays.fill(measured, 0);
        sum = 0;
    }

    /** Of all accesses of a period, the share that goes to slow memory. */
    double share(long accesses) {
        return sum == 0 ? 0 : (double) sum / Math.max(sum, accesses);
    }
}
