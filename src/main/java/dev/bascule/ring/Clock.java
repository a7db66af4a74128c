package dev.bascule.ring;

/**
 * A source of monotonic time. Code that measures or waits takes a {@code Clock}, so that a test or the simulated host
 * can run it in virtual time.
 */
@FunctionalInterface
public interface Clock {
    /**
     * Nanoseconds since an arbitrary origin that never moves; only differences mean something. Any thread.
     */
    long nanoTime();

    /**
     * The machine's monotonic clock ({@code CLOCK_MONOTONIC} on Linux): comparable between processes of one machine.
     */
    static Clock system() {
        return System::nanoTime;
    }
}
