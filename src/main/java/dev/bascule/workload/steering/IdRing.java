package dev.bascule.workload.steering;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Numbers of requests from any threads to one, in the order in which they were put. It never fills: it has room for every
 * request that there may be, and a request is in it once.
 * <p>
 * Thread rule: {@link #put} any; {@link #peek} and {@link #take} one thread, or under one lock. Allocation-free.
 */
final class IdRing {
    private static final int NONE = 0;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(IdRing.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int[] slots;
    private long tail;
    private long head;

    /** @param most requests that there may be at a time */
    IdRing(int most) {
        slots = new int[Integer.highestOneBit(Math.max(2, most) - 1) << 1];
    }

    void put(int id) {
        long at = (long) TAIL.getAndAdd(this, 1L);
        SLOT.setRelease(slots, (int) at & slots.length - 1, id + 1); // with peek's acquire: what was written before is seen
    }

    /** The next number, which stays; -1 if there is none, or the one that is next is just being put. */
    int peek() {
        return (int) SLOT.getAcquire(slots, (int) head & slots.length - 1) - 1;
    }

    /** Takes the number that {@link #peek} showed. */
    void take() {
        SLOT.setRelease(slots, (int) head & slots.length - 1, NONE);
        head++;
    }
}
