package dev.bascule.host;

import java.util.concurrent.locks.Lock;

/**
 * The host's lock, which knows how long it is held: every 64th time is measured, with the clock's own time in it. A
 * sample counts for at most {@link #LONGEST_NANOS}, for a holder that loses its core says nothing about what is done
 * under the lock.
 * <p>
 * Thread rule: any thread; {@link #heldNanos} from one that holds it.
 */
final class HostLock {
    private static final int ONE_IN = 64;
    private static final long LONGEST_NANOS = 10_000;

    private final Lock lock;
    private long taken;
    private long since;
    private long sampledNanos;

    HostLock(Lock lock) {
        this.lock = lock;
    }

    void lock() {
        lock.lock();
        begin();
    }

    boolean tryLock() {
        boolean held = lock.tryLock();
        if (held) {
            begin();
        }
        return held;
    }

    private void begin() {
        if ((++taken & ONE_IN - 1) == 0) {
            since = System.nanoTime();
        }
    }

    void unlock() {
        if ((taken & ONE_IN - 1) == 0) {
            sampledNanos += Math.min(System.nanoTime() - since, LONGEST_NANOS);
        }
        lock.unlock();
    }

    /** Time that it was held since the start, as far as the samples tell, ns. */
    long heldNanos() {
        return sampledNanos * ONE_IN;
    }
}
