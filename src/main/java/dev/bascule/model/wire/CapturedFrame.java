package dev.bascule.model.wire;

/**
 * A frame of a capture file.
 *
 * @param timestampNanos nanoseconds since 1970, or {@link #NO_TIME}
 * @param interfaceIndex which interface of the file it was seen on, from 0
 * @param originalBytes its length on the wire, at least that of the data
 * @param data what was kept of it, without FCS
 * @param isDamaged whether the file says that it arrived damaged: a wrong check sequence, or another fault of the line
 */
@SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
public record CapturedFrame(long timestampNanos, int interfaceIndex, int originalBytes, byte[] data,
        boolean isDamaged) {
    /** The file has no time for this frame. */
    public static final long NO_TIME = Long.MIN_VALUE;

    /** Whether the file holds only a part of the frame. */
    public boolean isCut() {
        return data.length < originalBytes;
    }
}
