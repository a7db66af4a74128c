package dev.bascule.vfiouser;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A wait for a peer's answer. Its end moves on while the peer shows that it is at work: by a figure that has changed when
 * the end is reached. So it ends between one and two limits after the last change. An end that is noticed long after its
 * time was the waiting process's own absence, and moves on as well. One thread.
 */
final class Patience {
    private final long limitNanos;
    private final LongSupplier life;
    private long deadline;
    private long seen;

    /**
     * @param limitNanos longest wait without a sign of life, 0 for no end
     * @param life figure that changes while the peer is at work
     */
    Patience(long limitNanos, LongSupplier life) {
        this.limitNanos = limitNanos;
        this.life = life;
        restart(limitNanos == 0 ? 0 : life.getAsLong());
    }

    private void restart(long figure) {
        seen = figure;
        deadline = limitNanos == 0 ? 0 : System.nanoTime() + limitNanos;
    }

    /** Time of {@link System#nanoTime} at which to ask {@link #isOver} again, 0 for never. */
    long deadline() {
        return deadline;
    }

    /** Nanoseconds until then, at least 1; 0 for never. */
    long left() {
        return limitNanos == 0 ? 0 : Math.max(1, deadline - System.nanoTime());
    }

    boolean isOver() {
        long lateNanos = System.nanoTime() - deadline;
        if (limitNanos == 0 || lateNanos < 0) {
            return false;
        }
        if (lateNanos > limitNanos / 4) { // the process was frozen, or its machine slept: what has come was not read
            restart(life.getAsLong());
            return false;
        }
        long now = life.getAsLong();
        if (now == seen) {
            return true;
        }
        restart(now);
        return false;
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
