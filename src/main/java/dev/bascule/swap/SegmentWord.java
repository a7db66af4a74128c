package dev.bascule.swap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** An {@link AtomicWord} in coherent memory, on or off the heap, shared by threads or processes. */
final class SegmentWord implements AtomicWord {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment segment;
    private final long offset;

    /**
     * @param offset bytes, a multiple of 8
     * @throws IllegalArgumentException if it is not, or not inside the segment
     */
    SegmentWord(MemorySegment segment, long offset) {
        if (offset < 0 || offset % Long.BYTES != 0 || offset + Long.BYTES > segment.byteSize()) {
            throw new IllegalArgumentException("word at offset " + offset + " of a segment of " + segment.byteSize()
                    + " bytes: want a multiple of 8 inside it");
        }
        this.segment = segment;
        this.offset = offset;
    }

    @Override
    public long get() {
        return (long) WORD.getAcquire(segment, offset);
    }

    @Override
    public boolean compareAndSet(long expected, long next) {
        return WORD.compareAndSet(segment, offset, expected, next);
    }
}
