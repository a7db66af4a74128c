package dev.bascule.study.sim;

import dev.bascule.ring.Clock;

/**
 * The clock of the actor whose turn it is: set to the time of its event, moved on by what its accesses and computations
 * cost. One thread.
 */
final class SimTime implements Clock {
    private long now;
    private int socket;
    private boolean frozen;

    @Override
    public long nanoTime() {
        return now;
    }

    /** The socket of the actor whose turn it is; a card and its agents count as on the first. */
    int socket() {
        return socket;
    }

    void actsOn(int newSocket) {
        socket = newSocket;
    }

    void set(long nanos) {
        now = nanos;
    }

    /** While it is frozen, nothing takes time. */
    void freeze(boolean isFrozen) {
        frozen = isFrozen;
    }

    void charge(long nanos) {
        now += frozen ? 0 : nanos;
    }
}
