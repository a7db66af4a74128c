package dev.bascule.model.enso;

/**
 * The rate limiter: a counter runs through the cycles of a period; flits may leave while it is below the numerator. So
 * {@code numerator} flits leave in a burst at the start of every {@code denominator} cycles.
 */
final class RateLimiter {
    /** No flit may ever leave. */
    static final long NEVER = Long.MAX_VALUE;

    private boolean enabled;
    private int numerator;
    private int denominator;
    private long counter;
    private long counterCycle;

    /** Switching on starts a period; new numbers while it is on take effect within the running one. */
    void configure(boolean enable, int newNumerator, int newDenominator, long cycle) {
        counter = enabled ? counterAt(cycle) : 0;
        counterCycle = cycle;
        enabled = enable;
        if (enable) {
            numerator = newNumerator;
            denominator = newDenominator;
        }
    }

    boolean enabled() {
        return enabled;
    }

    /** The first cycle from {@code cycle} on in which a flit may leave. */
    long nextAllowed(long cycle) {
        if (!enabled) {
            return cycle;
        }
        if (numerator == 0) {
            return NEVER;
        }
        long now = counterAt(cycle);
        return now < numerator ? cycle : cycle + Math.max(1, period() - now);
    }

    private long counterAt(long cycle) {
        long steps = Math.max(0, cycle - counterCycle);
        if (steps == 0) {
            return counter;
        }
        return counter >= period() ? (steps - 1) % period() : (counter + steps) % period();
    }

    private long period() {
        return Math.max(1, denominator);
    }
}
