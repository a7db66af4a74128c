package dev.bascule.ffi;

/**
 * Time that a watcher saw pass: a clock that stands while its thread had no core, its process was frozen or its machine
 * slept. Silence of another that is measured by it never holds the watcher's own absence against the other. One thread at a
 * time.
 */
public final class WatchedTime {
    private final long mostNanos;
    private long lastNanos;
    private long missedNanos;
    private boolean hasLooked;

    /**
     * A clock that was not looked at yet.
     *
     * @param mostNanos time between two looks that counts at most, ns; what is beyond it is the watcher's absence
     * @throws IllegalArgumentException unless it is positive
     */
    public WatchedTime(long mostNanos) {
        if (mostNanos <= 0) {
            throw new IllegalArgumentException("time between looks of " + mostNanos + " ns");
        }
        this.mostNanos = mostNanos;
    }

    /** Looks; {@code nowNanos}, as of {@link System#nanoTime}, less all absence so far. */
    public long at(long nowNanos) {
        if (hasLooked) {
            missedNanos += Math.max(0, nowNanos - lastNanos - mostNanos);
        }
        hasLooked = true;
        lastNanos = nowNanos;
        return nowNanos - missedNanos;
    }
}
