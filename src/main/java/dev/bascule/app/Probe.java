package dev.bascule.app;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A frame that carries its number and the time it was sent, so that the receiver can tell loss, order and latency: UDP
 * between two addresses for benchmarks (RFC 2544), so that any card can carry it and spread its flows.
 */
public final class Probe {
    /** Shortest frame with room for it. */
    public static final int SHORTEST = 58;
    /** Flows that can be told apart. */
    public static final int MOST_FLOWS = 256;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int IP_AT = 14;
    private static final int PROTOCOL_AT = 23;
    private static final int CHECKSUM_AT = 24;
    private static final int SOURCE_AT = 26;
    private static final int UDP_AT = 34;
    private static final byte ICMP = 1;
    private static final int ECHO = 8;
    private static final int MARK_AT = 42;
    private static final int MARK = 0x6261_7363; // "basc"
    /** Eight bits of flow, 40 of number, then 48 of time. */
    private static final int FLOW_AT = 46;
    private static final int TIME_AT = 52;
    private static final int NUMBER_BITS = 40;
    private static final int TIME_BITS = 48;
    private static final int FIRST_PORT = 40_000;
    private static final byte[] HEADER = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, //
            0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, (byte) 198, 18, 0, 1, (byte) 198, 18, 0, 2 };

    private Probe() {}

    /** A frame of {@code lengthBytes}, of flow 0. */
    public static byte[] frame(int lengthBytes) {
        return frame(lengthBytes, 0);
    }

    /** A frame of {@code lengthBytes}; flows differ in both ports. */
    public static byte[] frame(int lengthBytes, int flow) {
        if (lengthBytes < SHORTEST) {
            throw new IllegalArgumentException("a frame of " + lengthBytes + " bytes; with number and time it has at"
                    + " least " + SHORTEST);
        }
        java.util.Objects.checkIndex(flow, MOST_FLOWS);
        byte[] frame = java.util.Arrays.copyOf(HEADER, lengthBytes);
        MemorySegment memory = MemorySegment.ofArray(frame);
        memory.set(SHORT, IP_AT + 2, (short) (lengthBytes - IP_AT));
        memory.set(SHORT, CHECKSUM_AT, (short) ~sum(memory, IP_AT, UDP_AT));
        memory.set(SHORT, UDP_AT, (short) (FIRST_PORT + flow));
        memory.set(SHORT, UDP_AT + 2, (short) (FIRST_PORT + flow));
        memory.set(SHORT, UDP_AT + 4, (short) (lengthBytes - UDP_AT));
        memory.set(INT, MARK_AT, MARK);
        frame[FLOW_AT] = (byte) flow;
        return frame;
    }

    /** A ping of {@code lengthBytes}, which carries neither number nor time; flows differ in their addresses. */
    public static byte[] ping(int lengthBytes, int flow) {
        byte[] frame = frame(lengthBytes, flow);
        MemorySegment memory = MemorySegment.ofArray(frame);
        frame[PROTOCOL_AT] = ICMP;
        frame[SOURCE_AT + 3] = (byte) flow;
        memory.set(SHORT, CHECKSUM_AT, (short) 0);
        memory.set(SHORT, CHECKSUM_AT, (short) ~sum(memory, IP_AT, UDP_AT));
        memory.set(LONG, UDP_AT, (long) ECHO << 56 | flow); // code 0, identifier 0, the flow as number
        memory.asSlice(UDP_AT + Long.BYTES).fill((byte) 0);
        memory.set(SHORT, UDP_AT + 2, (short) ~sum(memory, UDP_AT, lengthBytes & ~1));
        return frame;
    }

    /** Sum of the words between two places. */
    private static int sum(MemorySegment memory, int from, int end) {
        int sum = 0;
        for (int at = from; at < end; at += 2) {
            sum += memory.get(SHORT, at) & 0xFFFF;
        }
        int once = (sum & 0xFFFF) + (sum >>> 16);
        return (once & 0xFFFF) + (once >>> 16);
    }

    /** Writes number and time; the flow stays. */
    static void stamp(MemorySegment memory, long offset, long number, long nanos) {
        int high = memory.get(ValueLayout.JAVA_BYTE, offset + FLOW_AT) << 24 & 0xFF000000
                | (int) (number >>> NUMBER_BITS - 24 & 0xFFFFFF);
        memory.set(INT, offset + FLOW_AT, high);
        memory.set(LONG, offset + FLOW_AT + 4, number << TIME_BITS | nanos & (1L << TIME_BITS) - 1);
    }

    /** Whether it is one. */
    static boolean isProbe(MemorySegment memory, long offset, int lengthBytes) {
        return lengthBytes >= SHORTEST && memory.get(INT, offset + MARK_AT) == MARK;
    }

    /** Flow of a frame that {@link #frame(int, int)} made. */
    public static int flow(byte[] frame) {
        return frame[FLOW_AT] & 0xFF;
    }

    /** Flow of the frame at {@code offset}. */
    static int flow(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_BYTE, offset + FLOW_AT) & 0xFF;
    }

    /** Number of the frame at {@code offset}, 40 bits. */
    static long number(MemorySegment memory, long offset) {
        return (memory.get(INT, offset + FLOW_AT) & 0xFFFFFFL) << 16
                | memory.get(SHORT, offset + FLOW_AT + 4) & 0xFFFFL;
    }

    /** How long before {@code nowNanos} the frame at {@code offset} was sent, by the same clock. */
    static long ageNanos(MemorySegment memory, long offset, long nowNanos) {
        return nowNanos - memory.get(LONG, offset + TIME_AT - 2) & (1L << TIME_BITS) - 1;
    }
}
