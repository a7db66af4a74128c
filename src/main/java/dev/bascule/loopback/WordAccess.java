package dev.bascule.loopback;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** 8-byte little-endian accesses with the memory order in their name. */
final class WordAccess {
    /** Eight bytes, little endian. */
    static final ValueLayout.OfLong LAYOUT = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final VarHandle LONG = LAYOUT.varHandle();

    private WordAccess() {}

    static long loadAcquire(MemorySegment memory, long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    static void storeRelease(MemorySegment memory, long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }

    static void storeVolatile(MemorySegment memory, long offset, long value) {
        LONG.setVolatile(memory, offset, value);
    }

    static long getAndAdd(MemorySegment memory, long offset, long delta) {
        return (long) LONG.getAndAdd(memory, offset, delta);
    }

    /** Returns what was there; {@code expected} if it was replaced. */
    static long compareAndSwap(MemorySegment memory, long offset, long expected, long next) {
        return (long) LONG.compareAndExchange(memory, offset, expected, next);
    }

    /** Checks an 8-byte aligned offset of a window of {@code sizeBytes}. */
    static void check(long offset, long sizeBytes) {
        if (offset < 0 || offset > sizeBytes - Long.BYTES || (offset & 7) != 0) {
            throw outside(offset, sizeBytes);
        }
    }

    /** Checks a 64-byte aligned offset of a window of {@code sizeBytes}. */
    static void checkLine(long offset, long sizeBytes) {
        if (offset < 0 || offset > sizeBytes - 64 || (offset & 63) != 0) {
            throw new IndexOutOfBoundsException("offset " + offset + " is not a 64-byte line of a window of "
                    + sizeBytes + " bytes");
        }
    }

    private static IndexOutOfBoundsException outside(long offset, long sizeBytes) {
        return new IndexOutOfBoundsException(
                "offset " + offset + " is not an 8-byte aligned offset of a window of " + sizeBytes + " bytes");
    }
}
