package dev.bascule.bench;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Hands windows to the second thread, which spins for them: a blocking hand-over would cost as much as a window. */
final class Baton {
    private static final long STOP = -1;
    private static final int SPINS = 4_000;

    private final AtomicLong handed = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private @Nullable Side side;
    private long start;
    private long count;
    private long result;
    private volatile @Nullable Throwable failure;
    private long rounds;

    /** First thread: starts {@code side} on the second. */
    void hand(Side side, long start, long count) {
        this.side = side;
        this.start = start;
        this.count = count;
        // release: partner is the acquire in serve
        handed.setRelease(++rounds);
    }

    /** First thread: waits for the second; returns its checksum. */
    long await() {
        // acquire: partner is the release at the end of serve
        while (done.getAcquire() != rounds) {
            Throwable thrown = failure;
            if (thrown != null) {
                throw new IllegalStateException("second side failed", thrown);
            }
            Thread.onSpinWait();
        }
        return result;
    }

    void stop() {
        handed.setRelease(STOP);
    }

    /** Second thread: runs what it is handed until {@link #stop}. */
    void serve() {
        long seen = 0;
        int idle = 0;
        for (;;) {
            long next = handed.getAcquire();
            if (next == STOP) {
                return;
            }
            if (next == seen) {
                if (++idle > SPINS) {
                    Thread.yield();
                } else {
                    Thread.onSpinWait();
                }
                continue;
            }
            idle = 0;
            seen = next;
            try {
                result = java.util.Objects.requireNonNull(side).run(start, count);
            } catch (RuntimeException | Error e) {
                failure = e;
                return;
            }
            done.setRelease(seen);
        }
    }
}
