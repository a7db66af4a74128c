package dev.bascule.host;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The host's lock, which knows how long it is held: every 64th time is measured, with the clock's own time in it. The
 * median of the last samples counts, for a holder that loses its core says nothing about what is done under the lock.
 * <p>
 * Thread rule: any thread; {@link #heldNanos} from one that holds it.
 */
final class HostLock {
    private static final int ONE_IN = 64;
    private static final int KEPT = 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final long[] samples = new long[KEPT];
    private long taken;
    private long since;

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
            samples[(int) (taken / ONE_IN) & KEPT - 1] = System.nanoTime() - since;
        }
        lock.unlock();
    }

    /** Time that it was held since the start, as far as the samples tell, ns. */
    long heldNanos() {
        int count = (int) Math.min(KEPT - 1, taken / ONE_IN);
        long[] sorted = Arrays.copyOfRange(samples, count == KEPT - 1 ? 0 : 1, count + 1);
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2] * taken;
    }
}
