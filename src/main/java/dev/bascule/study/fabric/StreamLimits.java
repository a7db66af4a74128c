package dev.bascule.study.fabric;

/**
 * Sizes of the switch's tables and buffers.
 *
 * @param streams most streams at a time
 * @param window items of a stream that may be in the fabric at a time: its credit
 * @param itemBytes longest item
 */
public record StreamLimits(int streams, int window, int itemBytes) {
    /** 1,024 streams of 32 items of 16 KiB. */
    public static final StreamLimits DEFAULT = new StreamLimits(1_024, 32, 16 << 10);
    /** Words of state that a stream has in the switch. */
    public static final int STATE_WORDS = 4;
    /** Most streams that addresses can tell apart. */
    public static final int MOST_STREAMS = 1 << 24;

    /** Checks the ranges. */
    public StreamLimits {
        if (streams < 1 || streams > MOST_STREAMS || window < 1 || window > Short.MAX_VALUE || itemBytes < 1
                || itemBytes > 1 << 24) {
            throw new IllegalArgumentException("streams 1 to " + MOST_STREAMS + ", window 1 to " + Short.MAX_VALUE
                    + ", item 1 byte to 16 MiB; got " + streams + ", " + window + ", " + itemBytes);
        }
    }

    /** Bytes of the table of streams: state, program, sequence, credit and use of each. */
    public long tableBytes() {
        return streams * (STATE_WORDS * 8L + 4 + 4 + 2 + 2);
    }

    /** Bytes of buffer that the switch needs so that an admitted item always has room: an item has one at a time. */
    public long bufferBytes(int copies) {
        return (long) streams * window * (1 + copies) * itemBytes;
    }
}
