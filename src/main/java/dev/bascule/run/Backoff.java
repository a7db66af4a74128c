package dev.bascule.run;

import java.util.concurrent.locks.LockSupport;

/** Rests of a thread that polls for what comes now and then: short at first, longer while nothing comes. One thread. */
public final class Backoff {
    private static final long FIRST_NANOS = 1_000_000;

    private final long mostNanos;
    private long nextNanos = FIRST_NANOS;

    /** @param mostNanos of one rest */
    public Backoff(long mostNanos) {
        this.mostNanos = Math.max(FIRST_NANOS, mostNanos);
    }

    /** Something came: the next rest is a short one. */
    public void worked() {
        nextNanos = FIRST_NANOS;
    }

    /** Rests; not at all if the thread is unparked or interrupted. */
    public void rest() {
        LockSupport.parkNanos(this, nextNanos);
        nextNanos = Math.min(mostNanos, 2 * nextNanos);
    }
}
