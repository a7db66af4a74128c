package dev.bascule.model.enso.backend;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * One end of a queue of 64-byte slots in shared memory: u64 full flag, u8 kind, u64 a at 16, u64 b at 24. No index is
 * shared; each side walks its own. The flag is read with acquire and written with release.
 */
final class MessageQueue {
    static final int SLOT_BYTES = 64;
    static final int KIND = 8;
    static final int A = 16;
    static final int B = 24;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle FLAG = U64.varHandle();

    private final MemorySegment memory;
    private final long slots;
    private long next;
    private int kind;
    private long a;
    private long b;

    /** A queue in all of {@code memory}, a multiple of 64 bytes, from its first slot on. */
    MessageQueue(MemorySegment memory) {
        this.memory = memory;
        this.slots = memory.byteSize() / SLOT_BYTES;
    }

    /** Takes the next message, if there is one; it is then in {@link #kind()}, {@link #a()} and {@link #b()}. */
    boolean poll() {
        long at = next * SLOT_BYTES;
        if ((long) FLAG.getAcquire(memory, at) == 0) {
            return false;
        }
        kind = Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, at + KIND));
        a = memory.get(U64, at + A);
        b = memory.get(U64, at + B);
        FLAG.setRelease(memory, at, 0L);
        next = (next + 1) % slots;
        return true;
    }

    /** Puts a message; false when the queue is full. */
    boolean offer(int newKind, long newA, long newB) {
        long at = next * SLOT_BYTES;
        if ((long) FLAG.getAcquire(memory, at) != 0) {
            return false;
        }
        memory.set(U64, at + KIND, newKind);
        memory.set(U64, at + A, newA);
        memory.set(U64, at + B, newB);
        FLAG.setRelease(memory, at, 1L);
        next = (next + 1) % slots;
        return true;
    }

    /**
     * Whether the producer is a new one that began at the first slot: one that went on would have filled the slot we wait
     * at before it came round to the first.
     */
    boolean startedAnew() {
        long at = next * SLOT_BYTES;
        return next != 0 && isFirstFull() && (long) FLAG.getAcquire(memory, at) == 0;
    }

    /** Whether a message is in the first slot. */
    boolean isFirstFull() {
        return (long) FLAG.getAcquire(memory, 0L) != 0;
    }

    /** Empties all slots. */
    void clear() {
        for (long slot = 0; slot < slots; slot++) {
            FLAG.setRelease(memory, slot * SLOT_BYTES, 0L);
        }
    }

    int kind() {
        return kind;
    }

    long a() {
        return a;
    }

    long b() {
        return b;
    }
}
