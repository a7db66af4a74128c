package dev.bascule.ring;

import java.util.concurrent.locks.LockSupport;

/** Spins while work is likely to come soon, then releases the core between looks. Belongs to one thread. */
final class SpinThenRest implements IdleStrategy {
    private final int spins;
    private final long parkNanos;
    private int emptyRounds;

    /**
     * @param spins empty rounds in a row before the first rest
     * @param parkNanos longest park; 0: yields instead
     */
    SpinThenRest(int spins, long parkNanos) {
        if (spins < 0) {
            throw new IllegalArgumentException(
                    "empty rounds before the core is given away must be 0 or more: " + spins);
        }
        this.spins = spins;
        this.parkNanos = parkNanos;
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            emptyRounds = 0;
        } else if (emptyRounds < spins) {
            emptyRounds++;
            Thread.onSpinWait();
        } else if (parkNanos == 0) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(this, parkNanos);
        }
    }
}
