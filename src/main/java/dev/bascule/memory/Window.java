package dev.bascule.memory;

import java.lang.invoke.VarHandle;

/**
 * A mapping of device or shared memory seen through one {@link MemoryType}. Protocol code is written against the weakest
 * type: it always fences what it wrote and always invalidates what it is about to read again; on a coherent mapping both
 * cost nothing.
 * <p>
 * Offsets are bytes from the start of the window and 8-byte aligned. A <em>line</em> is 64 bytes, 64-byte aligned.
 * <p>
 * Thread rule: a window object belongs to one thread (its write-combining buffers and cached lines are that CPU's); open
 * one window per thread on the same memory. Not thread-safe.
 * <p>
 * Errors: an offset outside the window is an {@link IndexOutOfBoundsException}; a closed window an {@link
 * IllegalStateException}.
 */
public abstract class Window {
    /** Bytes of one line: the unit of write-combining, of caching and of every protocol object. */
    public static final int LINE_BYTES = 64;

    private final long sizeBytes;
    private final MemoryType type;

    /** A window of a size in bytes that emulates or has a memory type. */
    protected Window(long sizeBytes, MemoryType type) {
        this.sizeBytes = sizeBytes;
        this.type = type;
    }

    /** Size in bytes. */
    public final long sizeBytes() {
        return sizeBytes;
    }

    /** The memory type this window emulates or has. */
    public final MemoryType type() {
        return type;
    }

    /** Loads 8 bytes; later accesses of this thread are not moved before it (acquire). */
    public abstract long loadAcquire(long offset);

    /** Stores 8 bytes; earlier accesses of this thread are not moved after it (release), except within WC buffers. */
    public abstract void storeRelease(long offset, long value);

    /**
     * Makes all earlier stores of this window leave for the other side, in order before any later store. SFENCE on
     * WC; a release fence on the other types.
     */
    public void writeFence() {
        VarHandle.releaseFence();
    }

    /**
     * Drops the cached copy of the line at {@code offset}, so that the next load sees the device's memory (WT). Nothing
     * on memory that is coherent or not cached.
     */
    public void invalidateLine(long offset) {}

    /**
     * Starts reading the line at {@code offset} into the cache, to overlap the link's round trip with other work.
     * Nothing where there is no round trip to hide, or no cache.
     */
    public void prefetchLine(long offset) {}

    /**
     * Copies the eight words of the line at {@code offset}, the first word first and with acquire. They may still be of
     * different ages: a reader checks tags or a digest. One call instead of eight.
     *
     * @param into receives them from index {@code at} on
     */
    public void loadLine(long offset, long[] into, int at) {
        for (int i = 0; i < LINE_BYTES / Long.BYTES; i++) {
            into[at + i] = loadAcquire(offset + (long) i * Long.BYTES);
        }
    }

    /**
     * Stores eight words to the line at {@code offset}, the first word last and with release, as far as the memory type
     * keeps an order.
     *
     * @param from holds them from index {@code at} on
     */
    public void storeLine(long offset, long[] from, int at) {
        for (int i = LINE_BYTES / Long.BYTES - 1; i >= 0; i--) {
            storeRelease(offset + (long) i * Long.BYTES, from[at + i]);
        }
    }

    /**
     * Whether {@link #compareAndSwap} is there: on memory that is coherent for both sides, and where a device's AtomicOps
     * reach it. An ordinary mapping of a device's memory over PCIe has none: no x86 instruction sends an AtomicOp.
     */
    public boolean hasAtomics() {
        return false;
    }

    /**
     * Stores {@code next} in the word at {@code offset} if it is {@code expected}, in one step against everybody else's
     * compare-and-swap; earlier stores of this window are there before it. Across a link it is a round trip.
     *
     * @return what was there, {@code expected} if it was replaced; -1 if the access was refused
     * @throws UnsupportedOperationException if this window {@linkplain #hasAtomics has none}
     */
    public long compareAndSwap(long offset, long expected, long next) {
        throw new UnsupportedOperationException("compare-and-swap through a " + type + " mapping: not possible there");
    }

    /**
     * Whether the newest content of the line at {@code offset} has arrived, on links that delay posted writes. A
     * reader asks before it looks at a line. Always true on real hardware and at zero delay.
     */
    public boolean arrived(long offset) {
        return true;
    }

    /**
     * Whether the line of {@code offset} is older here, if only in part, than it was where its writer stored it, at a moment when this
     * window's fenced stores had reached that. A side that has stored that it will sleep asks this before it looks for
     * work a last time: of two sides that store, fence and then look, one sees the other's store. Always false where a
     * load pushes earlier stores ahead, as over PCIe and in one memory; on a mirror, where loads are local, it costs a
     * round trip, and is true as well if that takes too long.
     *
     * @param writer number of the agent that stores the line
     */
    public boolean isBehind(long offset, int writer) {
        return false;
    }
}
