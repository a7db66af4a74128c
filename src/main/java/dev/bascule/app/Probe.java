package dev.bascule.app;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** A frame that carries its number and the time it was sent, so that the receiver can tell loss, order and latency. */
public final class Probe {
    /** Shortest frame with room for it. */
    public static final int SHORTEST = 38;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int MARK_AT = 14;
    private static final int NUMBER_AT = 22;
    private static final int TIME_AT = 30;
    private static final long MARK = 0x6261_7363_756C_6531L; // "bascule1"
    private static final byte[] HEADER = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, (byte) 0x88, (byte) 0xB5 };

    private Probe() {}

    /** A frame of {@code lengthBytes} between two locally administered addresses, with an experimental EtherType. */
    public static byte[] frame(int lengthBytes) {
        if (lengthBytes < SHORTEST) {
            throw new IllegalArgumentException("a frame of " + lengthBytes + " bytes; with number and time it has at"
                    + " least " + SHORTEST);
        }
        byte[] frame = java.util.Arrays.copyOf(HEADER, lengthBytes);
        MemorySegment.ofArray(frame).set(LONG, MARK_AT, MARK);
        return frame;
    }

    /** Writes number and time. */
    static void stamp(MemorySegment memory, long offset, long number, long nanos) {
        memory.set(LONG, offset + NUMBER_AT, number);
        memory.set(LONG, offset + TIME_AT, nanos);
    }

    /** Whether it is one. */
    static boolean isProbe(MemorySegment memory, long offset, int lengthBytes) {
        return lengthBytes >= SHORTEST && memory.get(LONG, offset + MARK_AT) == MARK;
    }

    /** Its number. */
    static long number(MemorySegment memory, long offset) {
        return memory.get(LONG, offset + NUMBER_AT);
    }

    /** When it was sent. */
    static long nanos(MemorySegment memory, long offset) {
        return memory.get(LONG, offset + TIME_AT);
    }
}
