package dev.bascule.app;

/**
 * Moves times of a card to those of this machine, in ns since 1970. The card's clock stays as it is: its drift is kept, so
 * that times make no small jumps; a step, also by another process, is followed. One thread.
 */
public final class CardTimes {
    private static final long STEP_NANOS = 1_000_000_000L;

    private long offsetNanos;

    /** Both clocks, read one after the other. */
    public CardTimes(long cardNanos, long machineNanos) {
        offsetNanos = machineNanos - cardNanos;
    }

    /** Both clocks, read again. */
    public void compare(long cardNanos, long machineNanos) {
        if (Math.abs(machineNanos - cardNanos - offsetNanos) > STEP_NANOS) {
            offsetNanos = machineNanos - cardNanos;
        }
    }

    long machineNanos(long cardNanos) {
        return cardNanos + offsetNanos;
    }
}
