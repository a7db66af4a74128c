package dev.bascule.ring;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until it is told to move.
 * <p>
 * Thread rule: one thread moves it, any thread reads it; what the mover wrote before {@link #set} or {@link #advance}
 * is visible to a thread that reads the new time (release, with the acquire in {@link #nanoTime} as partner).
 */
public final class VirtualClock implements Clock {
    private final AtomicLong nanos;

    /** A clock that stands at zero. */
    public VirtualClock() {
        this(0);
    }

    /** A clock that stands at {@code startNanos}. */
    public VirtualClock(long startNanos) {
        nanos = new AtomicLong(startNanos);
    }

    @Override
    public long nanoTime() {
        return nanos.getAcquire();
    }

    /**
     * Moves to {@code toNanos}.
     *
     * @throws IllegalArgumentException if that lies in the past: time that runs backwards is a bug of the caller
     */
    public void set(long toNanos) {
        long now = nanos.getPlain();
        if (toNanos - now < 0) {
            throw new IllegalArgumentException(
                    "virtual clock stands at " + now + " ns and cannot go back to " + toNanos);
        }
        nanos.setRelease(toNanos);
    }

    /**
     * Moves on by {@code byNanos}.
     *
     * @return the new time
     * @throws IllegalArgumentException if {@code byNanos} is negative
     */
    public long advance(long byNanos) {
        set(nanos.getPlain() + byNanos);
        return nanos.getPlain();
    }
}
