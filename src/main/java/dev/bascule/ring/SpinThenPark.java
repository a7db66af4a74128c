package dev.bascule.ring;

import java.util.concurrent.locks.LockSupport;

/** Spins while work is likely to come soon, then gives the core away. Belongs to one thread. */
final class SpinThenPark implements IdleStrategy {
    private final int spins;
    private final long parkNanos;
    private int emptyRounds;

    SpinThenPark(int spins, long parkNanos) {
        if (spins < 0) {
            throw new IllegalArgumentException("empty rounds before parking must be 0 or more: " + spins);
        }
        if (parkNanos <= 0) {
            throw new IllegalArgumentException("longest park must be at least 1 ns: " + parkNanos);
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
        } else {
            LockSupport.parkNanos(this, parkNanos);
        }
    }
}
