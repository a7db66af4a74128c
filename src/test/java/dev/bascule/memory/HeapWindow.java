package dev.bascule.memory;

import java.util.concurrent.atomic.AtomicLongArray;

/** Coherent memory that checkers can see. */
public final class HeapWindow extends Window {
    private final AtomicLongArray words;

    private HeapWindow(AtomicLongArray words) {
        super(words.length() * 8L, MemoryType.WB);
        this.words = words;
    }

    /** Zeroed. */
    public static HeapWindow allocate(long bytes) {
        return new HeapWindow(new AtomicLongArray((int) (bytes / 8)));
    }

    /** Another party's window on the same memory. */
    public HeapWindow again() {
        return new HeapWindow(words);
    }

    @Override
    public long loadAcquire(long offset) {
        return words.getAcquire((int) offset / 8);
    }

    @Override
    public void storeRelease(long offset, long value) {
        words.setRelease((int) offset / 8, value);
    }

    @Override
    public void writeFence() {
        // stores are releases
    }
}
