package dev.bascule.host;

import dev.bascule.ring.Waiter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Bell by which one of the host's CPUs sleeps: any thread rings it, the CPU's thread waits. Allocation-free. */
final class CpuBell implements Waiter {
    private final AtomicBoolean rung = new AtomicBoolean();
    private volatile @Nullable Thread sleeper;

    void ring() {
        rung.set(true);
        LockSupport.unpark(sleeper); // partner: the store of sleeper before the look at rung
    }

    @Override
    public boolean await(long timeoutNanos) {
        long start = System.nanoTime();
        sleeper = Thread.currentThread();
        boolean woken = rung.getAndSet(false);
        while (!woken) {
            long left = timeoutNanos - (System.nanoTime() - start);
            if (left <= 0) {
                break;
            }
            LockSupport.parkNanos(this, left);
            woken = rung.getAndSet(false);
        }
        sleeper = null;
        return woken;
    }
}
