package dev.bascule.ffi;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limit on the time that another may take, or be silent for, as {@link WatchedTime} counts it: it is over when the other has
 * shown nothing for so long while its watcher looked. Who sleeps between looks does so for {@link #left}. One thread at a
 * time.
 */
public final class Patience {
    /** A limit has passed after so many looks at least, whatever came between them. */
    private static final int LOOKS_PER_LIMIT = 4;

    private final long limitNanos;
    private final LongSupplier clock;
    private final LongSupplier life;
    private final WatchedTime time;
    private long sinceNanos;
    private long seen;

    /**
     * Patience by the machine's clock that begins now.
     *
     * @param limitNanos longest silence, 0 for no end
     */
    public Patience(long limitNanos) {
        this(limitNanos, System::nanoTime, () -> 0);
    }

    /**
     * Patience that begins now.
     *
     * @param limitNanos longest silence, 0 for no end
     * @param clock time that counts, ns
     * @param life figure that changes while the other is at work; looked at when the time is over
     */
    public Patience(long limitNanos, LongSupplier clock, LongSupplier life) {
        this.limitNanos = limitNanos;
        this.clock = clock;
        this.life = life;
        time = new WatchedTime(Math.max(1, limitNanos / LOOKS_PER_LIMIT));
        restart();
    }

    /** The other has shown that it is at work: the whole limit is ahead. */
    public void restart() {
        if (limitNanos != 0) {
            seen = life.getAsLong();
            sinceNanos = time.at(clock.getAsLong());
        }
    }

    /** Looks; whether the other has been silent for longer than the limit. */
    public boolean isOver() {
        if (limitNanos == 0 || rest() >= 0) {
            return false;
        }
        if (life.getAsLong() == seen) {
            return true;
        }
        restart();
        return false;
    }

    /** Looks; ns until the next look is due, at least 1; 0 for never. */
    public long left() {
        return limitNanos == 0 ? 0 : Math.clamp(rest(), 1, Math.max(1, limitNanos / LOOKS_PER_LIMIT));
    }

    private long rest() {
        return limitNanos - (time.at(clock.getAsLong()) - sinceNanos);
    }

    /** Waits for a process; false if it has not ended before this is over. */
    public boolean awaitEnd(Process process) throws InterruptedException {
        while (!process.waitFor(left(), TimeUnit.NANOSECONDS)) {
            if (isOver()) {
                return false;
            }
        }
        return true;
    }

    /** The limit as in {@code 5 s}. */
    @Override
    public String toString() {
        for (TimeUnit unit : new TimeUnit[] { TimeUnit.SECONDS, TimeUnit.MILLISECONDS, TimeUnit.MICROSECONDS }) {
            long whole = unit.convert(limitNanos, TimeUnit.NANOSECONDS);
            if (unit.toNanos(whole) == limitNanos) {
                return whole + switch (unit) {
                    case SECONDS -> " s";
                    case MILLISECONDS -> " ms";
                    default -> " us";
                };
            }
        }
        return limitNanos + " ns";
    }
}
