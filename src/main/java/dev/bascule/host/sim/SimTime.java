package dev.bascule.host.sim;

import dev.bascule.ring.Clock;
import java.util.function.LongSupplier;

/**
 * The clock of whoever acts: set to the time of an event, moved on by what the actor's accesses and computations cost.
 * One thread.
 */
final class SimTime implements Clock, LongSupplier {
    private long now;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public long getAsLong() {
        return now;
    }

    void set(long nanos) {
        now = nanos;
    }

    void charge(long nanos) {
        now += nanos;
    }
}
