package dev.bascule.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Frames from one thread or process to another in shared memory. Each frame is one contiguous record: its length, then
 * its bytes; a frame that does not fit is refused.
 * <p>
 * Thread rule: one producer calls {@code offer}, one consumer calls {@code poll}. What the other side may have written
 * into the memory is checked: a ring whose positions are impossible is emptied.
 */
public final class FrameRing {
    /** Bytes before the data: each side's position on cache lines of its own. */
    public static final int HEADER_BYTES = 256;
    /** The longest frame. */
    public static final int MAX_FRAME_BYTES = 1 << 16;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final long TAIL = 0;
    private static final long HEAD = 128;
    private static final int RECORD_HEADER = 8;
    private static final int PADDING = -1;

    private final MemorySegment memory;
    private final int capacity;
    private final int mask;
    private final byte[] frame = new byte[MAX_FRAME_BYTES];
    private final MemorySegment frameSegment = MemorySegment.ofArray(frame);
    private long cachedHead;

    /**
     * @param memory {@link #HEADER_BYTES} plus a power of two of at least twice the longest frame, zeroed before the first
     *     use
     */
    public FrameRing(MemorySegment memory) {
        long data = memory.byteSize() - HEADER_BYTES;
        if (data < 2L * MAX_FRAME_BYTES || data > 1 << 30 || Long.bitCount(data) != 1) {
            throw new IllegalArgumentException("a frame ring of " + data + " bytes; it has a power of two from "
                    + 2 * MAX_FRAME_BYTES + " to " + (1 << 30));
        }
        this.memory = memory;
        capacity = (int) data;
        mask = capacity - 1;
        cachedHead = (long) LONG.getAcquire(memory, HEAD);
    }

    /** Appends a frame; false if there is no room or it is empty or too long. */
    public boolean offer(byte[] data, int offset, int lengthBytes) {
        if (lengthBytes <= 0 || lengthBytes > MAX_FRAME_BYTES) {
            return false;
        }
        long tail = (long) LONG.get(memory, TAIL);
        int record = RECORD_HEADER + (lengthBytes + 7 & ~7);
        int at = (int) tail & mask;
        int padding = at + record > capacity ? capacity - at : 0;
        if (!hasRoom(tail, padding + record)) {
            return false;
        }
        if (padding != 0) {
            INT.set(memory, HEADER_BYTES + (long) at, PADDING);
            at = 0;
        }
        INT.set(memory, HEADER_BYTES + (long) at, lengthBytes);
        MemorySegment.copy(data, offset, memory, ValueLayout.JAVA_BYTE, HEADER_BYTES + at + (long) RECORD_HEADER,
                lengthBytes);
        LONG.setRelease(memory, TAIL, tail + padding + record); // partner: the acquire in poll
        return true;
    }

    private boolean hasRoom(long tail, int needed) {
        if (tail + needed - cachedHead <= capacity) {
            return true;
        }
        cachedHead = (long) LONG.getAcquire(memory, HEAD); // partner: the release in poll
        return tail + needed - cachedHead <= capacity;
    }

    /** Passes on at most {@code budget} frames; returns how many. */
    public int poll(WireEnd.FrameSink sink, int budget) {
        long head = (long) LONG.get(memory, HEAD);
        long tail = (long) LONG.getAcquire(memory, TAIL); // partner: the release in offer
        int count = 0;
        while (head != tail && count < budget) {
            long left = tail - head;
            int at = (int) head & mask;
            int length = left < 0 || left > capacity || (head & 7) != 0
                    ? 0
                    : (int) INT.get(memory, HEADER_BYTES + (long) at);
            int record = length == PADDING ? capacity - at : RECORD_HEADER + (length + 7 & ~7);
            if (length != PADDING && (length <= 0 || length > MAX_FRAME_BYTES) || record > left
                    || record > capacity - at) {
                head = tail; // the other side wrote nonsense
                break;
            }
            if (length != PADDING) {
                MemorySegment.copy(memory, HEADER_BYTES + at + (long) RECORD_HEADER, frameSegment, 0, length);
                sink.frame(frame, 0, length);
                count++;
            }
            head += record;
        }
        LONG.setRelease(memory, HEAD, head); // partner: the acquire in hasRoom
        return count;
    }
}
