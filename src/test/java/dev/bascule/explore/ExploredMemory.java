package dev.bascule.explore;

import dev.bascule.ffi.RawWords;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The memory that the explored threads share, as x86 orders it: stores go through a first-in first-out buffer of their
 * thread, loads look there first, a full fence or a compare-and-set empties it. The static methods take the place of
 * those of {@code RawWords}, {@code RawMemory} and {@code VarHandle} in the production classes
 * ({@link ExploredClasses}).
 * <p>
 * Which words two threads share is learnt while exploring: a word that turns out to be one starts the enumeration anew.
 * A line is stored in two parts, word 0 last, and loaded in two, so that a reader meets torn ones.
 */
public final class ExploredMemory {
    private static final int WORDS = 8;
    private static final int MOST_THREADS = 8;
    private static ExploredMemory now;

    private final Explorer explorer;
    private final BitSet shared = new BitSet();
    private final long[][] addresses = new long[MOST_THREADS][64];
    private final long[][] values = new long[MOST_THREADS][64];
    private final int[] buffered = new int[MOST_THREADS];
    private long base;
    private byte[] readers = {};
    private byte[] writers = {};
    private boolean more;

    ExploredMemory(Explorer explorer) {
        this.explorer = explorer;
    }

    /** The memory that is looked at; everything the threads share lies in it. */
    public void cover(long address, long bytes) {
        if (base != address || readers.length != bytes / Long.BYTES) {
            base = address;
            readers = new byte[(int) (bytes / Long.BYTES)];
            writers = new byte[readers.length];
        }
    }

    /** A run begins; the explorations of a process come one after the other. */
    @SuppressWarnings("NonFinalStaticField")
    void begin() {
        now = this;
        Arrays.fill(buffered, 0);
    }

    /** A word of the host's own that its CPUs share. */
    public static void meet() {
        if (now != null) {
            now.explorer.point();
        }
    }

    /** Whether the last run found words that are shared and were not known to be. */
    boolean sharesMore() {
        boolean found = more;
        more = false;
        return found;
    }

    boolean isBuffering(int thread) {
        return buffered[thread] > 0;
    }

    /** The thread's stores reach memory, the oldest first. */
    void drain(int thread) {
        for (int i = 0; i < buffered[thread]; i++) {
            long address = addresses[thread][i];
            if (RawWords.loadAcquire(address) != values[thread][i]) {
                RawWords.storeRelease(address, values[thread][i]);
                explorer.changed(thread);
            }
        }
        buffered[thread] = 0;
    }

    void drainAll(int threads) {
        for (int thread = 0; thread < threads; thread++) {
            drain(thread);
        }
    }

    /** Notes the access; whether the word is shared. */
    private boolean touch(long address, byte[] by) {
        int thread = explorer.running();
        if (thread < 0) {
            return false;
        }
        int word = (int) (address - base >> 3);
        by[word] |= (byte) (1 << thread);
        if (shared.get(word)) {
            return true;
        }
        if (writers[word] != 0 && Integer.bitCount((readers[word] | writers[word]) & 0xff) > 1) {
            shared.set(word);
            more = true;
        }
        return false;
    }

    private void pointAt(boolean isShared, long address, boolean writes) {
        if (isShared) {
            explorer.point((address - base >> 3) + 1 << 1 | (writes ? 1 : 0));
        } else {
            explorer.pass();
        }
    }

    private long read(long address) {
        int thread = explorer.running();
        if (thread >= 0) {
            for (int i = buffered[thread] - 1; i >= 0; i--) {
                if (addresses[thread][i] == address) {
                    return values[thread][i];
                }
            }
        }
        return RawWords.loadAcquire(address);
    }

    private void write(long address, long value, boolean isShared) {
        int thread = explorer.running();
        if (!isShared) {
            if (thread < 0 || read(address) != value) {
                RawWords.storeRelease(address, value);
            }
            return;
        }
        if (buffered[thread] == addresses[thread].length) {
            addresses[thread] = Arrays.copyOf(addresses[thread], 2 * buffered[thread]);
            values[thread] = Arrays.copyOf(values[thread], 2 * buffered[thread]);
        }
        addresses[thread][buffered[thread]] = address;
        values[thread][buffered[thread]++] = value;
        tell("stores", address, value);
    }

    private void tell(String what, long address, long value) {
        if (explorer.isTracing()) {
            explorer.note(what + " " + (address - base) + " = " + Long.toHexString(value));
        }
    }

    // ---- in place of the production's accesses -------------------------------------------------------------------

    public static long loadAcquire(long address) {
        ExploredMemory memory = now;
        boolean isShared = memory.touch(address, memory.readers);
        memory.pointAt(isShared, address, false);
        long value = memory.read(address);
        if (isShared) {
            memory.tell("loads", address, value);
        }
        return value;
    }

    public static long load(long address) {
        return loadAcquire(address);
    }

    public static void storeRelease(long address, long value) {
        ExploredMemory memory = now;
        boolean isShared = memory.touch(address, memory.writers) && memory.matters(address, value);
        memory.pointAt(isShared, address, true);
        memory.write(address, value, isShared);
    }

    /** What the only writer of a word stores once more changes nothing, whenever it arrives. */
    private boolean matters(long address, long value) {
        int word = (int) (address - base >> 3);
        return Integer.bitCount(writers[word] & 0xff) > 1 || read(address) != value;
    }

    public static void store(long address, long value) {
        storeRelease(address, value);
    }

    public static void store(long address, long word0, long word1, long word2, long word3, long word4, long word5,
            long word6) {
        long[] words = { word0, word1, word2, word3, word4, word5, word6 };
        for (int i = 0; i < words.length; i++) {
            now.part(address + 8L * i, words[i], i == 0);
        }
    }

    public static boolean compareAndSet(long address, long expected, long next) {
        ExploredMemory memory = now;
        boolean known = memory.touch(address, memory.readers) | memory.touch(address, memory.writers);
        memory.pointAt(known, address, true);
        memory.explorer.fence();
        long found = RawWords.loadAcquire(address);
        memory.tell(found == expected ? "sets" : "fails to set", address, next);
        if (found != expected) {
            return false;
        }
        RawWords.storeRelease(address, next);
        memory.explorer.changed();
        return true;
    }

    public static void loadLine(long address, long[] into, int at) {
        ExploredMemory memory = now;
        for (int i = 0; i < WORDS; i++) {
            if (memory.touch(address + 8L * i, memory.readers) && i % 4 == 0) {
                memory.explorer.point();
            } else {
                memory.explorer.pass();
            }
            into[at + i] = memory.read(address + 8L * i);
        }
        memory.tell("loads line", address, into[at]);
    }

    public static void storeLine(long address, long[] from, int at) {
        for (int i = 1; i < WORDS; i++) {
            now.part(address + 8L * i, from[at + i], i == 1);
        }
        storeRelease(address, from[at]);
    }

    /** Words that an adapter writes, in two parts. */
    public static void place(long address, long[] words) {
        for (int i = 0; i < words.length; i++) {
            now.part(address + 8L * i, words[i], i % 4 == 0);
        }
    }

    /** What the running thread would load; nobody is given way to. */
    public static long quietly(long address) {
        return now.read(address);
    }

    private void part(long address, long value, boolean isFirst) {
        boolean isShared = touch(address, writers);
        pointAt(isShared && isFirst, address, true);
        write(address, value, isShared && matters(address, value));
    }

    public static void fullFence() {
        now.explorer.fence();
    }

    /** Stores are never reordered among themselves. */
    public static void releaseFence() {}

    public static MemorySegment fill(MemorySegment segment, byte value) {
        ExploredMemory memory = now;
        if (memory.explorer.running() >= 0) {
            memory.explorer.fence();
            for (long at = 0; at < segment.byteSize(); at += Long.BYTES) {
                storeRelease(segment.address() + at, value * 0x0101_0101_0101_0101L);
            }
            return segment;
        }
        return segment.fill(value);
    }
}
