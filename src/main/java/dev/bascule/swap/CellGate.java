package dev.bascule.swap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The word in which a cell's host threads meet: free, taken by a thread that runs a step, or the head of the open swap.
 * Whoever takes the open swap decides it; the others find it gone. Taking acquires and opening or freeing releases, so
 * the cell's state may be plain fields.
 */
final class CellGate {
    static final long FREE = 0;
    private static final long TAKEN = -1;
    private static final VarHandle WORD = handle();

    @SuppressWarnings("unused") // through the handle
    private volatile long word = FREE;

    /** The head of the open swap, or {@link #FREE} if none is open or a step is under way. */
    long open() {
        long seen = (long) WORD.getAcquire(this);
        return seen == TAKEN ? FREE : seen;
    }

    /** FREE or the head of the open swap; waits for a step under way. */
    long settled() {
        long seen = (long) WORD.getAcquire(this);
        while (seen == TAKEN) {
            Thread.onSpinWait();
            seen = (long) WORD.getAcquire(this);
        }
        return seen;
    }

    /** Takes the gate if it has this value: FREE, or the head of a swap. */
    boolean take(long expected) {
        return WORD.compareAndSet(this, expected, TAKEN);
    }

    /** Takes the gate if no swap is open; waits for a step under way. */
    boolean takeFree() {
        while (settled() == FREE) {
            if (take(FREE)) {
                return true;
            }
        }
        return false;
    }

    /** Takes the gate if a swap is open; waits for a step under way. */
    boolean takeOpen() {
        for (long seen = settled(); seen != FREE; seen = settled()) {
            if (take(seen)) {
                return true;
            }
        }
        return false;
    }

    /** Takes the gate whatever it has; waits for a step under way. */
    void takeAny() {
        for (;;) {
            long seen = (long) WORD.getAcquire(this);
            if (seen != TAKEN && WORD.compareAndSet(this, seen, TAKEN)) {
                return;
            }
            Thread.onSpinWait();
        }
    }

    /** Ends a step: FREE, or the head of the swap that is open. Partner: the next take. */
    void release(long next) {
        WORD.setRelease(this, next);
    }

    private static VarHandle handle() {
        try {
            return MethodHandles.lookup().findVarHandle(CellGate.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
