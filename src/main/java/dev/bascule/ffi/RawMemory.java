package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * 8-byte words of native memory by address, unchecked: a wrong address ends the process. For hot paths that prove
 * their addresses themselves; everything else uses segments.
 * <p>
 * Each call works on a segment of its own that covers just its words and never exists once compiled: bounds, alignment
 * and liveness are constants then, and nothing is loaded from the Java heap. OVERHEAD: a ring of 64-byte messages
 * whose ends kept a segment in a field took 5.4 ns per message between near cores at batch 1 and 16 ns between far
 * cores at batch 32; so it takes 4.4 and 12 ns, as its C twin does (4.4 and 11). One unbounded constant segment was as
 * fast in batches and slower at batch 1.
 * <p>
 * Thread rule: any thread. Addresses must be multiples of 8 (2 for two bytes) and stay mapped during the call.
 */
public final class RawMemory {
    private static final VarHandle PLAIN = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.varHandle();
    private static final VarHandle ORDERED = ValueLayout.JAVA_LONG.varHandle();

    private RawMemory() {}

    /** The word at {@code address}, plain. */
    public static long load(long address) {
        return (long) PLAIN.get(word(address), 0L);
    }

    /**
     * The two bytes at {@code address}, plain, without sign; for fields that were just stored in two bytes, which a wider
     * load would have to wait for.
     */
    public static int loadShort(long address) {
        return (short) SHORT.get(MemorySegment.ofAddress(address).reinterpret(Short.BYTES), 0L) & 0xFFFF;
    }

    /** The word at {@code address}; nothing after it is read before it. */
    public static long loadAcquire(long address) {
        return (long) ORDERED.getAcquire(word(address), 0L);
    }

    /** Stores a word, plain. */
    public static void store(long address, long value) {
        PLAIN.set(word(address), 0L, value);
    }

    /** Stores a word; nothing written before it becomes visible after it. */
    public static void storeRelease(long address, long value) {
        ORDERED.setRelease(word(address), 0L, value);
    }

    /** Stores seven words from {@code address} on, plain. */
    public static void store(long address, long word0, long word1, long word2, long word3, long word4, long word5,
            long word6) {
        MemorySegment words = MemorySegment.ofAddress(address).reinterpret(56);
        PLAIN.set(words, 0L, word0);
        PLAIN.set(words, 8L, word1);
        PLAIN.set(words, 16L, word2);
        PLAIN.set(words, 24L, word3);
        PLAIN.set(words, 32L, word4);
        PLAIN.set(words, 40L, word5);
        PLAIN.set(words, 48L, word6);
    }

    private static MemorySegment word(long address) {
        return MemorySegment.ofAddress(address).reinterpret(8);
    }

    /** The bytes of {@code memory} as a segment that {@code life} closes; the bytes themselves are not freed then. */
    public static MemorySegment view(MemorySegment memory, Arena life) {
        return memory.reinterpret(life, null);
    }
}
