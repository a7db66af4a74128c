package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * 8-byte words of native memory by address, unchecked: a wrong address ends the process. For hot paths that prove
 * their addresses themselves; everything else uses segments.
 * <p>
 * All calls go through one constant segment over all addresses: bounds and liveness are constants once compiled, little
 * code is left for the compiler, and there is nothing to allocate. OVERHEAD: with a segment of its own in each call a ring
 * took 5 % less at batch 1, a decision over swap0 250 ns more, and in a JVM that had run much else before some of those
 * segments were allocated after all (40 bytes a message).
 * <p>
 * Thread rule: any thread. Addresses must be multiples of 8 (2 for two bytes) and stay mapped during the call.
 */
public final class RawMemory {
    private static final VarHandle PLAIN = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.varHandle();
    private static final VarHandle ORDERED = ValueLayout.JAVA_LONG.varHandle();

    private static final int LINE_WORDS = 8;
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private RawMemory() {}

    /** The word at {@code address}, plain. */
    public static long load(long address) {
        return (long) PLAIN.get(ALL, address);
    }

    /**
     * The two bytes at {@code address}, plain, without sign; for fields that were just stored in two bytes, which a wider
     * load would have to wait for.
     */
    public static int loadShort(long address) {
        return (short) SHORT.get(ALL, address) & 0xFFFF;
    }

    /** The word at {@code address}; nothing after it is read before it. */
    public static long loadAcquire(long address) {
        return (long) ORDERED.getAcquire(ALL, address);
    }

    /** Stores a word, plain. */
    public static void store(long address, long value) {
        PLAIN.set(ALL, address, value);
    }

    /** Stores a word; nothing written before it becomes visible after it. */
    public static void storeRelease(long address, long value) {
        ORDERED.setRelease(ALL, address, value);
    }

    /** Stores seven words from {@code address} on, plain. */
    public static void store(long address, long word0, long word1, long word2, long word3, long word4, long word5,
            long word6) {
        PLAIN.set(ALL, address, word0);
        PLAIN.set(ALL, address + 8, word1);
        PLAIN.set(ALL, address + 16, word2);
        PLAIN.set(ALL, address + 24, word3);
        PLAIN.set(ALL, address + 32, word4);
        PLAIN.set(ALL, address + 40, word5);
        PLAIN.set(ALL, address + 48, word6);
    }

    /** Stores {@code next} if the word is {@code expected}; orders all accesses. */
    public static boolean compareAndSet(long address, long expected, long next) {
        return ORDERED.compareAndSet(ALL, address, expected, next);
    }

    /** Copies the eight words of a line to {@code into} from index {@code at} on, the first one first and with acquire. */
    public static void loadLine(long address, long[] into, int at) {
        Objects.checkFromIndexSize(at, LINE_WORDS, into.length);
        into[at] = (long) ORDERED.getAcquire(ALL, address);
        for (int i = 1; i < LINE_WORDS; i++) {
            into[at + i] = (long) PLAIN.get(ALL, address + (long) i * Long.BYTES);
        }
    }

    /** Stores the eight words of {@code from} from index {@code at} on to a line, the first one last and with release. */
    public static void storeLine(long address, long[] from, int at) {
        Objects.checkFromIndexSize(at, LINE_WORDS, from.length);
        for (int i = 1; i < LINE_WORDS; i++) {
            PLAIN.set(ALL, address + (long) i * Long.BYTES, from[at + i]);
        }
        ORDERED.setRelease(ALL, address, from[at]);
    }

    /** The bytes of {@code memory} as a segment that {@code life} closes; the bytes themselves are not freed then. */
    public static MemorySegment view(MemorySegment memory, Arena life) {
        return memory.reinterpret(life, null);
    }
}
