package dev.bascule.app;

import dev.bascule.nic.MacAddress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Fields of headers in memory, and what is done to them. Where they are {@link dev.bascule.nic.PacketHeaders} says; the places
 * here are those in a frame without tags and options.
 */
final class Headers {
    static final int DESTINATION_MAC = 0;
    static final int SOURCE_MAC = 6;
    static final int TYPE = 12;
    static final int IP = 14;
    static final int IP_LENGTH = IP + 2;
    static final int IP_PROTOCOL = IP + 9;
    static final int IP_CHECKSUM = IP + 10;
    static final int SOURCE_IP = IP + 12;
    static final int DESTINATION_IP = IP + 16;
    static final int SOURCE_PORT = IP + 20;
    static final int DESTINATION_PORT = IP + 22;
    static final int UDP_LENGTH = IP + 24;
    static final int UDP_CHECKSUM = IP + 26;
    static final int UDP_PAYLOAD = IP + 28;
    static final int TCP_DATA_OFFSET = IP + 32;
    static final int TCP_FLAGS = IP + 33;
    static final int TCP_SYN = 2;
    static final int IPV4 = 0x0800;
    static final int TCP = 6;
    static final int UDP = 17;

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt HALF = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long MAC_BYTES = 6;
    private static final int MAC_BITS = 48;
    private static final long MAC_MASK = (1L << MAC_BITS) - 1;

    private Headers() {}

    static int u8(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_BYTE, offset) & 0xFF;
    }

    static int u16(MemorySegment memory, long offset) {
        return memory.get(SHORT, offset) & 0xFFFF;
    }

    static int i32(MemorySegment memory, long offset) {
        return memory.get(INT, offset);
    }

    static long i64(MemorySegment memory, long offset) {
        return memory.get(LONG, offset);
    }

    static void putU16(MemorySegment memory, long offset, int value) {
        memory.set(SHORT, offset, (short) value);
    }

    static void putI32(MemorySegment memory, long offset, int value) {
        memory.set(INT, offset, value);
    }

    static void putMac(MemorySegment memory, long offset, MacAddress address) {
        putU16(memory, offset, (int) (address.value() >>> Integer.SIZE));
        putI32(memory, offset + 2, (int) address.value());
    }

    /** Stations of a frame; the length, or 0 if it is too short for them. */
    static int putMacs(MemorySegment memory, long offset, int lengthBytes, MacAddress destination, MacAddress source) {
        if (lengthBytes < IP) {
            return 0;
        }
        putMac(memory, offset + DESTINATION_MAC, destination);
        putMac(memory, offset + SOURCE_MAC, source);
        return lengthBytes;
    }

    /** Both stations are twelve bytes: two loads and two stores. */
    static void swapMacs(MemorySegment memory, long offset) {
        MemorySegment both = memory.asSlice(offset, 2 * MAC_BYTES); // one check for all
        long low = both.get(WORD, 0); // destination, and two bytes of source
        long high = both.get(HALF, Long.BYTES) & 0xFFFF_FFFFL;
        long destination = low & MAC_MASK;
        long source = low >>> MAC_BITS | high << Short.SIZE;
        both.set(WORD, 0, source | destination << MAC_BITS);
        both.set(HALF, Long.BYTES, (int) (destination >>> Short.SIZE));
    }

    /** A one's complement checksum after a 32-bit word it covers changed (RFC 1624, equation 3). */
    static int updated(int checksum, int before, int after) {
        int sum = (~checksum & 0xFFFF) + (~before >>> 16 & 0xFFFF) + (~before & 0xFFFF) + (after >>> 16)
                + (after & 0xFFFF);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return ~sum & 0xFFFF;
    }
}
