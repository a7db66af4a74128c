package dev.bascule.memory;

import dev.bascule.ffi.RawWords;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * A write-back window onto pinned memory, by address: what {@link DirectWindow} does, for the paths of every message and
 * decision. Release stores and acquire loads, no native call, no allocation.
 * <p>
 * Offsets are checked, and the mapping lasts as long as the window: an access after the memory's owner has closed it is
 * an {@link IllegalStateException}, or, when both happen at the same time, reaches memory that is still mapped for this
 * window alone.
 */
public final class PinnedWindow extends Window {
    private static final int LINE_WORDS = LINE_BYTES / Long.BYTES;

    private final PinnedMemory memory;
    private final long base;
    private final long words;
    private final long lines;

    /** A window over the whole of {@code memory}, which must be aligned to 8 bytes. */
    public PinnedWindow(PinnedMemory memory) {
        super(memory.sizeBytes(), MemoryType.WB);
        if (memory.address() % Long.BYTES != 0) {
            throw new IllegalArgumentException("a window needs memory aligned to 8 bytes: " + memory.segment());
        }
        memory.requireOpen();
        this.memory = memory;
        base = memory.address();
        words = memory.sizeBytes() / Long.BYTES;
        lines = Math.max(0, words - LINE_WORDS + 1);
    }

    /** Memory under the window. */
    public PinnedMemory memory() {
        return memory;
    }

    /** Rotated, an offset that is no multiple of 8 is far outside, too. */
    private long word(long offset) {
        memory.requireOpen();
        Objects.checkIndex(Long.rotateRight(offset, 3), words);
        return base + offset;
    }

    private long line(long offset) {
        memory.requireOpen();
        Objects.checkIndex(Long.rotateRight(offset, 3), lines);
        return base + offset;
    }

    @Override
    public long loadAcquire(long offset) {
        long value = RawWords.loadAcquire(word(offset));
        Reference.reachabilityFence(this); // the memory is found by address: it must outlive the load
        return value;
    }

    @Override
    public void storeRelease(long offset, long value) {
        RawWords.storeRelease(word(offset), value);
        Reference.reachabilityFence(this); // as in loadAcquire
    }

    /** Stores {@code next} if the word is {@code expected}; orders all accesses. For coherent memory alone. */
    public boolean compareAndSet(long offset, long expected, long next) {
        boolean stored = RawWords.compareAndSet(word(offset), expected, next);
        Reference.reachabilityFence(this); // as in loadAcquire
        return stored;
    }

    @Override
    public boolean hasAtomics() {
        return true;
    }

    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        for (;;) {
            if (compareAndSet(offset, expected, next)) {
                return expected;
            }
            long found = loadAcquire(offset);
            if (found != expected) {
                return found;
            }
        }
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        RawWords.loadLine(line(offset), into, at);
        Reference.reachabilityFence(this); // as in loadAcquire
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        RawWords.storeLine(line(offset), from, at);
        Reference.reachabilityFence(this); // as in loadAcquire
    }
}
