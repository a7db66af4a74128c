package dev.bascule.nic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Ethernet packets in a stream, each at a multiple of {@link RxPipe#QUANTUM_BYTES}. Their length is not in the stream, so
 * it is read from the packet: IPv4, IPv6, ARP and 802.3 length fields, behind up to two VLAN tags. What is of none of
 * these kinds is {@link MessageFormat#MALFORMED}; behind it readers go on at the next header that cannot be anything else
 * ({@link #nextHeader}), or with the next batch: the device delivers whole packets, so that starts with a packet again.
 */
public final class PacketFormat implements MessageFormat {
    /** The one format; it has no state. */
    public static final PacketFormat INSTANCE = new PacketFormat();

    /** Bytes of an Ethernet header. */
    public static final int ETHERNET_BYTES = 14;
    /** Shortest Ethernet frame without its check sequence. */
    public static final int SHORTEST_BYTES = 60;

    private static final ValueLayout.OfShort BIG_ENDIAN_SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong BIG_ENDIAN_LONG = ValueLayout.JAVA_LONG_UNALIGNED
            .withOrder(ByteOrder.BIG_ENDIAN);
    private static final int IPV4 = 0x0800;
    private static final int ARP = 0x0806;
    private static final int VLAN = 0x8100;
    private static final int PROVIDER_VLAN = 0x88A8;
    private static final int IPV6 = 0x86DD;
    private static final int IPV6_HEADER_BYTES = 40;
    private static final int ARP_BYTES = 28;
    /** Ethernet, IPv4 and the lengths of their addresses, as an ARP packet begins. */
    private static final long ARP_FOR_IPV4 = 0x0001_0800_0604L;
    private static final int LARGEST_LENGTH_FIELD = 1500;

    private PacketFormat() {}

    @Override
    public long lengthBytes(MemorySegment memory, long offset, long availableBytes) {
        int packet = packetBytes(memory, offset, availableBytes);
        return packet < 0 ? MALFORMED : padded(packet);
    }

    /** Length of the packet at {@code offset} without padding or check sequence; -1 when it cannot be told. */
    public static int packetBytes(MemorySegment memory, long offset, long availableBytes) {
        if (availableBytes < RxPipe.QUANTUM_BYTES) {
            return -1;
        }
        int length = ipv4Bytes(memory, offset);
        if (length >= 0) { // by far the most frequent
            return length;
        }
        int type = u16(memory, offset + 12);
        int at = ETHERNET_BYTES;
        for (int tags = 0; tags < 2 && (type == VLAN || type == PROVIDER_VLAN); tags++) {
            type = u16(memory, offset + at + 2);
            at += 4;
        }
        return switch (type) {
            case IPV4 -> at + u16(memory, offset + at + 2);
            case IPV6 -> at + IPV6_HEADER_BYTES + u16(memory, offset + at + 4);
            case ARP -> at + ARP_BYTES;
            default -> type <= LARGEST_LENGTH_FIELD ? at + type : -1;
        };
    }

    /** Length of the packet at {@code offset} if it is IPv4 without tags, else -1; a whole quantum must be there. */
    static int ipv4Bytes(MemorySegment memory, long offset) {
        long header = memory.get(BIG_ENDIAN_LONG, offset + 12); // type, version to service, total length, identification
        return (int) (header >>> 48) == IPV4 ? ETHERNET_BYTES + (int) (header >>> 16 & 0xFFFF) : -1;
    }

    /**
     * Where a reader goes on behind what stands at {@code at}: behind the packet of {@code length}; or, where no packet is or
     * one that lies about its length, {@code ~} the place of the next header. A packet lies when it ends behind
     * {@code end}, or where no header is while one is inside of it.
     *
     * @param length what {@link #packetBytes} says of it
     * @param end end of the batch; there a packet ends
     */
    public static long next(MemorySegment memory, long at, int length, long end) {
        long next = at + padded(length);
        if (length < 0 || next > end) {
            return ~nextHeader(memory, at + RxPipe.QUANTUM_BYTES, end);
        }
        if (next == end || ipv4Bytes(memory, next) >= 0 || isHeader(memory, next, end)) {
            return next;
        }
        long inside = header(memory, at + RxPipe.QUANTUM_BYTES, next, end);
        return inside < next ? ~inside : next;
    }

    /**
     * Where a packet starts again, behind bytes that are none: the first quantum from {@code from} on with a header, behind up
     * to two tags, of IPv4 with a right checksum, of IPv6 whose length fits, or of ARP for IPv4; {@code end} if there is none.
     */
    public static long nextHeader(MemorySegment memory, long from, long end) {
        return header(memory, from, end, end);
    }

    private static long header(MemorySegment memory, long from, long to, long end) {
        for (long at = from; at < to; at += RxPipe.QUANTUM_BYTES) {
            if (isHeader(memory, at, end)) {
                return at;
            }
        }
        return to;
    }

    private static boolean isHeader(MemorySegment memory, long start, long end) {
        int type = u16(memory, start + 12);
        long at = start + ETHERNET_BYTES;
        for (int tags = 0; tags < 2 && (type == VLAN || type == PROVIDER_VLAN); tags++) {
            type = u16(memory, at + 2);
            at += 4;
        }
        return switch (type) {
            case IPV4 -> isIpv4Header(memory, at, end);
            case IPV6 -> memory.get(ValueLayout.JAVA_BYTE, at) >> 4 == 6
                    && at + IPV6_HEADER_BYTES + u16(memory, at + 4) <= end;
            case ARP -> memory.get(BIG_ENDIAN_LONG, at) >>> 16 == ARP_FOR_IPV4;
            default -> false;
        };
    }

    private static boolean isIpv4Header(MemorySegment memory, long at, long end) {
        int first = memory.get(ValueLayout.JAVA_BYTE, at);
        int header = 4 * (first & 0xF);
        if (first >> 4 != 4 || header < 20 || at + header > end) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < header; i += 2) {
            sum += u16(memory, at + i);
        }
        return sum % 0xFFFF == 0;
    }

    /** A length with the padding up to the next packet. */
    public static long padded(int packetBytes) {
        return packetBytes + RxPipe.QUANTUM_BYTES - 1 & -(long) RxPipe.QUANTUM_BYTES;
    }

    private static int u16(MemorySegment memory, long offset) {
        return memory.get(BIG_ENDIAN_SHORT, offset) & 0xFFFF;
    }
}
