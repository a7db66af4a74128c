package dev.bascule.loopback;

/** Injected latency: busy waiting on the monotonic clock, since no sleep is that short. */
final class Spin {
    private Spin() {}

    /** Spins for a duration; nothing at 0 or less. */
    static void nanos(long nanos) {
        if (nanos > 0) {
            until(System.nanoTime() + nanos);
        }
    }

    /** Spins until {@link System#nanoTime()} reaches the deadline. The clock call itself paces the loop. */
    static void until(long deadlineNanos) {
        while (System.nanoTime() - deadlineNanos < 0) {
            // the clock read is the pause
        }
    }
}
