package dev.bascule.model.corundum;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Register writes on their way to the device: one thread at a time adds, one takes; in order. */
final class PostedWrites {
    private static final int CAPACITY = 1024;
    private static final int WIDTH_SHIFT = 56;
    private static final long OFFSET_MASK = (1L << WIDTH_SHIFT) - 1;
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(PostedWrites.class, "tail", long.class);
            HEAD = lookup.findVarHandle(PostedWrites.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] targets = new long[CAPACITY];
    private final long[] values = new long[CAPACITY];

    @SuppressWarnings("UnusedVariable") // through TAIL
    private long tail;
    private long head;

    /** False if there is no room. */
    boolean add(long offset, int widthBytes, long value) {
        long at = (long) TAIL.get(this);
        if (at - (long) HEAD.getAcquire(this) == CAPACITY) { // partner: the release in drainTo
            return false;
        }
        int slot = (int) at & CAPACITY - 1;
        targets[slot] = offset & OFFSET_MASK | (long) widthBytes << WIDTH_SHIFT;
        values[slot] = value;
        TAIL.setRelease(this, at + 1); // partner: the acquire in drainTo
        return true;
    }

    boolean isEmpty() {
        return (long) HEAD.getOpaque(this) == (long) TAIL.getAcquire(this);
    }

    /** Hands everything over; says how much it was. */
    int drainTo(CorundumDevice device) {
        long from = head;
        long to = (long) TAIL.getAcquire(this); // partner: the release in add
        for (long at = from; at != to; at++) {
            int slot = (int) at & CAPACITY - 1;
            device.write(targets[slot] & OFFSET_MASK, (int) (targets[slot] >>> WIDTH_SHIFT), values[slot]);
            HEAD.setRelease(this, at + 1); // partner: the acquire in add
        }
        return (int) (to - from);
    }
}
