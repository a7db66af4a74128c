package dev.bascule.host.sim;

import dev.bascule.ring.Clock;
import java.util.function.LongSupplier;

/**
 * The clock of whoever acts: set to the time of an event, moved on by what the actor's accesses and computations cost.
 * One thread.
 */
final class SimTime implements Clock, LongSupplier {
    private long now;
    private int socket;
    private boolean still;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public long getAsLong() {
        return now;
    }

    /** The socket on which whoever acts is; a card and its agents count as on the first. */
    int socket() {
        return socket;
    }

    void actsOn(int newSocket) {
        socket = newSocket;
    }

    void set(long nanos) {
        now = nanos;
    }

    /** While it stands still, nothing takes time. */
    void still(boolean isStill) {
        still = isStill;
    }

    void charge(long nanos) {
        now += still ? 0 : nanos;
    }
}
