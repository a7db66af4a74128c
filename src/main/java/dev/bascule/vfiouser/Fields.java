package dev.bascule.vfiouser;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Little-endian fields of messages, at any alignment. */
final class Fields {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Fields() {}

    static int get16(MemorySegment from, long offset) {
        return Short.toUnsignedInt(from.get(SHORT, offset));
    }

    static int get32(MemorySegment from, long offset) {
        return from.get(INT, offset);
    }

    static long get64(MemorySegment from, long offset) {
        return from.get(LONG, offset);
    }

    /** 1, 2, 4 or 8 bytes, zero-extended. */
    static long get(MemorySegment from, long offset, int widthBytes) {
        return switch (widthBytes) {
            case 1 -> Byte.toUnsignedLong(from.get(ValueLayout.JAVA_BYTE, offset));
            case 2 -> get16(from, offset);
            case 4 -> Integer.toUnsignedLong(get32(from, offset));
            default -> get64(from, offset);
        };
    }

    static void put16(MemorySegment to, long offset, int value) {
        to.set(SHORT, offset, (short) value);
    }

    static void put32(MemorySegment to, long offset, int value) {
        to.set(INT, offset, value);
    }

    static void put64(MemorySegment to, long offset, long value) {
        to.set(LONG, offset, value);
    }

    /** The low 1, 2, 4 or 8 bytes of a value. */
    static void put(MemorySegment to, long offset, int widthBytes, long value) {
        switch (widthBytes) {
            case 1 -> to.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
            case 2 -> put16(to, offset, (int) value);
            case 4 -> put32(to, offset, (int) value);
            default -> put64(to, offset, value);
        }
    }

    /**
     * Bytes of the next piece of a transfer: the whole of it where that is one natural access, else the largest aligned
     * piece of up to four bytes.
     */
    static int piece(long offset, long leftBytes) {
        if (leftBytes == 8 && (offset & 7) == 0) {
            return 8;
        }
        if (leftBytes >= 4 && (offset & 3) == 0) {
            return 4;
        }
        return leftBytes >= 2 && (offset & 1) == 0 ? 2 : 1;
    }
}
