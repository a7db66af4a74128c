package dev.bascule.ffi;

import java.lang.foreign.MemoryLayout;
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
    private static final VarHandle ORDERED = ValueLayout.JAVA_LONG.varHandle();
    /**
     * A word of a line, by the line's address: the accesses of one line have one check, not one each. OVERHEAD: both ends of
     * an RPC's line on one thread took 53 ns with a check each, and 43 ns so.
     */
    private static final VarHandle OF_LINE = MemoryLayout.sequenceLayout(WORDS, ValueLayout.JAVA_LONG)
            .varHandle(MemoryLayout.PathElement.sequenceElement());

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
        into[at] = (long) OF_LINE.getAcquire(ALL, address, 0L);
        into[at + 1] = (long) OF_LINE.get(ALL, address, 1L);
        into[at + 2] = (long) OF_LINE.get(ALL, address, 2L);
        into[at + 3] = (long) OF_LINE.get(ALL, address, 3L);
        into[at + 4] = (long) OF_LINE.get(ALL, address, 4L);
        into[at + 5] = (long) OF_LINE.get(ALL, address, 5L);
        into[at + 6] = (long) OF_LINE.get(ALL, address, 6L);
        into[at + 7] = (long) OF_LINE.get(ALL, address, 7L);
    }

    /** Stores the eight words of {@code from} from index {@code at} on to a line, the first one last and with release. */
    public static void storeLine(long address, long[] from, int at) {
        Objects.checkFromIndexSize(at, WORDS, from.length);
        OF_LINE.set(ALL, address, 1L, from[at + 1]);
        OF_LINE.set(ALL, address, 2L, from[at + 2]);
        OF_LINE.set(ALL, address, 3L, from[at + 3]);
        OF_LINE.set(ALL, address, 4L, from[at + 4]);
        OF_LINE.set(ALL, address, 5L, from[at + 5]);
        OF_LINE.set(ALL, address, 6L, from[at + 6]);
        OF_LINE.set(ALL, address, 7L, from[at + 7]);
        OF_LINE.setRelease(ALL, address, 0L, from[at]);
    }
}
