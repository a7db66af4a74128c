package dev.bascule.loopback;

import java.lang.foreign.MemorySegment;

/**
 * When the newest posted write of each line arrives at the other side: one word per line in a shadow area beside the
 * memory, 0 meaning long ago. The writer stamps before it writes, the reader looks away until the time has come.
 */
final class ArrivalTimes {
    private final MemorySegment shadow;
    private final long delayNanos;

    ArrivalTimes(MemorySegment shadow, long delayNanos) {
        this.shadow = shadow;
        this.delayNanos = delayNanos;
    }

    /** Stamps a line whose data is stored next; returns its arrival time. */
    long stamp(long line) {
        long dueNanos = System.nanoTime() + delayNanos;
        WordAccess.storeRelease(shadow, line << 3, dueNanos);
        return dueNanos;
    }

    boolean arrived(long line) {
        long dueNanos = WordAccess.loadAcquire(shadow, line << 3);
        return dueNanos == 0 || System.nanoTime() - dueNanos >= 0;
    }
}
