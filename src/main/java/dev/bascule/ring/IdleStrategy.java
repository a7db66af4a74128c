package dev.bascule.ring;

/**
 * Behaviour of a polling thread after a round that found nothing. Implementations keep state for one thread.
 */
public interface IdleStrategy {
    /** Called after each round with the work found: 0 means idle a little, more than 0 resets. */
    void idle(int workCount);

    /** Spins with PAUSE ({@link Thread#onSpinWait}); for a thread that owns its core. */
    static IdleStrategy spin() {
        return spin(1);
    }

    /**
     * Spins with PAUSE, and after {@code spins} empty rounds in a row lets other threads of its core run first in each
     * ({@link Thread#yield}); for a platform thread that may have to share its core with the one it waits for: two that
     * spin would take turns by time slices of milliseconds. Alone on its core, a yield costs about half a microsecond.
     *
     * @throws IllegalArgumentException if {@code spins} is negative
     */
    static IdleStrategy spinThenYield(int spins) {
        return new SpinThenRest(spins, 0);
    }

    /**
     * Spins with {@code pauses} PAUSE instructions between two polls; for a thread that owns its core. The pace of
     * polling is a tuning parameter: a tight poll ({@code pauses} 0) keeps stealing the line back from the core that is
     * about to write it, a long pause reacts late. One PAUSE is about 25 ns on current x86.
     *
     * @throws IllegalArgumentException if {@code pauses} is negative
     */
    static IdleStrategy spin(int pauses) {
        if (pauses < 0) {
            throw new IllegalArgumentException("pauses per empty round must be 0 or more: " + pauses);
        }
        return workCount -> {
            for (int i = workCount == 0 ? pauses : 0; i > 0; i--) {
                Thread.onSpinWait();
            }
        };
    }

    /**
     * Spins with PAUSE for {@code spins} empty rounds, then parks up to {@code parkNanos} per round until there is work
     * again or the thread is unparked; for a thread that shares its core. A virtual thread releases its carrier while it
     * parks.
     *
     * @throws IllegalArgumentException if {@code spins} is negative or {@code parkNanos} is not positive
     */
    static IdleStrategy spinThenPark(int spins, long parkNanos) {
        if (parkNanos <= 0) {
            throw new IllegalArgumentException("longest park must be at least 1 ns: " + parkNanos);
        }
        return new SpinThenRest(spins, parkNanos);
    }
}
