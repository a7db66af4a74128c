package dev.bascule.model.smartnic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * One signal in shared memory, a 64-byte line of 8-byte words: how often it was raised, when the newest is due, whether
 * the receiver masks it, whether the receiver sleeps, and the newest value. Interrupts and doorbells are such lines, so
 * that a receiver who polls costs the sender no system call.
 */
final class SignalLine {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final long RAISED = 0;
    private static final long DUE = 8;
    private static final long MASKED = 16;
    private static final long SLEEPING = 24;
    private static final long VALUE = 32;

    private final MemorySegment line;

    SignalLine(MemorySegment line) {
        this.line = line;
    }

    /** Adds raises; returns whether the receiver has to be woken. Pairs with {@link #sleep}: one of the two sees the other. */
    boolean raise(long times, long value, long dueNanos) {
        WORD.setRelease(line, VALUE, value);
        WORD.setRelease(line, DUE, dueNanos);
        WORD.getAndAdd(line, RAISED, times);
        return (long) WORD.getVolatile(line, SLEEPING) != 0;
    }

    long raised() {
        return (long) WORD.getAcquire(line, RAISED);
    }

    long dueNanos() {
        return (long) WORD.getAcquire(line, DUE);
    }

    long value() {
        return (long) WORD.getAcquire(line, VALUE);
    }

    boolean masked() {
        return (long) WORD.getAcquire(line, MASKED) != 0;
    }

    void setMasked(boolean masked) {
        WORD.setVolatile(line, MASKED, masked ? 1L : 0L);
    }

    /** Says that the receiver sleeps; the caller looks at {@link #raised} once more before it does. */
    void sleep() {
        WORD.setVolatile(line, SLEEPING, 1L);
        VarHandle.fullFence();
    }

    void awake() {
        WORD.setRelease(line, SLEEPING, 0L);
    }
}
