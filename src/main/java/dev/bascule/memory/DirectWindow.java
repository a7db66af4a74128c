package dev.bascule.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A write-back window straight onto a segment: release stores and acquire loads, no native call, no allocation. On
 * coherent memory a fence is a compiler and store fence, and a line flush is nothing.
 */
public final class DirectWindow extends Window {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private static final VarHandle PLAIN = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN)
            .varHandle();

    private final MemorySegment segment;

    /** A window over the whole of {@code segment}, which must be native and 8-byte aligned. */
    public DirectWindow(MemorySegment segment) {
        super(segment.byteSize(), MemoryType.WB);
        if (!segment.isNative() || (segment.address() & 7) != 0 || segment.isReadOnly()) {
            throw new IllegalArgumentException("a window needs writable native memory aligned to 8 bytes: " + segment);
        }
        this.segment = segment;
    }

    @Override
    public long loadAcquire(long offset) {
        return (long) WORD.getAcquire(segment, offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        WORD.setRelease(segment, offset, value);
    }

    @Override
    public boolean hasAtomics() {
        return true;
    }

    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        return (long) WORD.compareAndExchange(segment, offset, expected, next);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        MemorySegment from = segment;
        into[at] = (long) WORD.getAcquire(from, offset);
        for (int i = 1; i < LINE_BYTES / Long.BYTES; i++) {
            into[at + i] = (long) PLAIN.get(from, offset + (long) i * Long.BYTES);
        }
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        MemorySegment to = segment;
        for (int i = 1; i < LINE_BYTES / Long.BYTES; i++) {
            PLAIN.set(to, offset + (long) i * Long.BYTES, from[at + i]);
        }
        WORD.setRelease(to, offset, from[at]);
    }
}
