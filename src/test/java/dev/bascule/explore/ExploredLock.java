package dev.bascule.explore;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock of explored threads: taking it is a place to switch, and orders all accesses as a compare-and-set does. */
public final class ExploredLock implements Lock {
    private static final int NOBODY = -1;

    private final Explorer explorer;
    private final Runnable taken;
    private int owner = NOBODY;

    /** With what is told whenever somebody has taken it. */
    public ExploredLock(Explorer explorer, Runnable taken) {
        this.explorer = explorer;
        this.taken = taken;
    }

    @Override
    public void lock() {
        explorer.point();
        explorer.fence();
        if (owner != NOBODY) {
            explorer.await(() -> owner == NOBODY);
        }
        owner = explorer.running();
        taken.run();
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
        taken.run();
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
