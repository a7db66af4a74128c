package dev.bascule.memory;

import java.util.Objects;

/** Part of another window, which it takes over; offsets are checked against the part. Same thread rule. */
public final class PartWindow extends Window {
    private final Window whole;
    private final long start;

    /**
     * The part [start, start + lengthBytes).
     *
     * @throws IndexOutOfBoundsException if the window does not have it, or it is not whole words
     */
    public PartWindow(Window whole, long start, long lengthBytes) {
        super(lengthBytes, whole.type());
        if (lengthBytes <= 0 || start < 0 || ((start | lengthBytes) & 7) != 0
                || start > whole.sizeBytes() - lengthBytes) {
            throw new IndexOutOfBoundsException(
                    lengthBytes + " bytes at " + start + " of " + whole.sizeBytes());
        }
        this.whole = whole;
        this.start = start;
    }

    private long word(long offset) {
        Objects.checkFromIndexSize(offset, Long.BYTES, sizeBytes());
        return start + offset;
    }

    private long line(long offset) {
        Objects.checkFromIndexSize(offset, LINE_BYTES, sizeBytes());
        return start + offset;
    }

    @Override
    public long loadAcquire(long offset) {
        return whole.loadAcquire(word(offset));
    }

    @Override
    public void storeRelease(long offset, long value) {
        whole.storeRelease(word(offset), value);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        whole.loadLine(line(offset), into, at);
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        whole.storeLine(line(offset), from, at);
    }

    @Override
    public void writeFence() {
        whole.writeFence();
    }

    @Override
    public void invalidateLine(long offset) {
        whole.invalidateLine(word(offset));
    }

    @Override
    public void prefetchLine(long offset) {
        whole.prefetchLine(word(offset));
    }

    @Override
    public boolean hasAtomics() {
        return whole.hasAtomics();
    }

    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        return whole.compareAndSwap(word(offset), expected, next);
    }

    @Override
    public boolean arrived(long offset) {
        return whole.arrived(word(offset));
    }
}
