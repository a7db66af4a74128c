package dev.bascule.explore;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock of explored threads: taking it is a place to switch, and orders all accesses as a compare-and-set does. */
public final class ExploredLock implements Lock {
    private static final int NOBODY = -1;

    private final Explorer explorer;
    private int owner = NOBODY;

    public ExploredLock(Explorer explorer) {
        this.explorer = explorer;
    }

    @Override
    public void lock() {
        explorer.point();
        explorer.fence();
        if (owner != NOBODY) {
            explorer.await(() -> owner == NOBODY);
        }
        owner = explorer.running();
    }

    @Override
    public void unlock() {
        explorer.fence();
        owner = NOBODY;
    }

    @Override
    public boolean tryLock() {
        explorer.point();
        explorer.fence();
        if (owner != NOBODY) {
            return false;
        }
        owner = explorer.running();
        return true;
    }

    @Override
    public void lockInterruptibly() {
        lock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
        return tryLock();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("no host waits on a condition");
    }
}
