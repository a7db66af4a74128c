package dev.bascule.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * 8-byte words and 64-byte lines of native memory by address, unchecked, as {@link RawMemory}; for code that is compiled
 * into paths with very many accesses, such as a whole decision. All accesses go through one constant segment over all
 * addresses: an access is then little code for the compiler. OVERHEAD: a decision over swap0 took 920 ns on one core with a
 * segment of its own for each access, and 670 ns so; the loops of the drivers, which are short, took about 15 % more so.
 * <p>
 * Thread rule: any thread. Addresses must be multiples of 8 and stay mapped during the call.
 */
public final class RawWords {
    private static final int WORDS = 8;
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final VarHandle PLAIN = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
    private static final VarHandle ORDERED = ValueLayout.JAVA_LONG.varHandle();

    private RawWords() {}

    /** The word at {@code address}; nothing after it is read before it. */
    public static long loadAcquire(long address) {
        return (long) ORDERED.getAcquire(ALL, address);
    }

    /** Stores a word; nothing written before it becomes visible after it. */
    public static void storeRelease(long address, long value) {
        ORDERED.setRelease(ALL, address, value);
    }

    /** Stores {@code next} if the word is {@code expected}; orders all accesses. */
    public static boolean compareAndSet(long address, long expected, long next) {
        return ORDERED.compareAndSet(ALL, address, expected, next);
    }

    /** Copies the eight words of a line to {@code into} from index {@code at} on, the first one first and with acquire. */
    public static void loadLine(long address, long[] into, int at) {
        Objects.checkFromIndexSize(at, WORDS, into.length);
        into[at] = (long) ORDERED.getAcquire(ALL, address);
        for (int i = 1; i < WORDS; i++) {
            into[at + i] = (long) PLAIN.get(ALL, address + (long) i * Long.BYTES);
        }
    }

    /** Stores the eight words of {@code from} from index {@code at} on to a line, the first one last and with release. */
    public static void storeLine(long address, long[] from, int at) {
        Objects.checkFromIndexSize(at, WORDS, from.length);
        for (int i = 1; i < WORDS; i++) {
            PLAIN.set(ALL, address + (long) i * Long.BYTES, from[at + i]);
        }
        ORDERED.setRelease(ALL, address, from[at]);
    }
}
