package dev.bascule.nic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Ethernet packets in a stream, each at a multiple of {@link RxPipe#QUANTUM_BYTES}. Their length is not in the stream, so
 * it is read from the packet: IPv4, IPv6, ARP, 802.3 length fields, PPPoE, MPLS, LLDP and MAC control, behind up to three VLAN
 * tags. What is of none of these kinds is {@link MessageFormat#MALFORMED}; behind it readers go on at the next header that
 * is hardly anything else ({@link #nextHeader}), or with the next batch: the device delivers whole packets, so that starts
 * with a packet again.
 */
public final class PacketFormat implements MessageFormat {
    /** The one format; it has no state. */
    public static final PacketFormat INSTANCE = new PacketFormat();

    /** Bytes of an Ethernet header. */
    public static final int ETHERNET_BYTES = 14;
    /** Shortest Ethernet frame without its check sequence. */
    public static final int SHORTEST_BYTES = 60;

    private static final ValueLayout.OfLong BIG_ENDIAN_LONG = ValueLayout.JAVA_LONG_UNALIGNED
            .withOrder(ByteOrder.BIG_ENDIAN);
    private static final int IPV4 = 0x0800;

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
        return PacketLengths.of(memory, offset, availableBytes);
    }

    /** Length of the packet at {@code offset} if it is IPv4 without tags, else -1; a whole quantum must be there. */
    static int ipv4Bytes(MemorySegment memory, long offset) {
        long header = memory.get(BIG_ENDIAN_LONG, offset + 12); // type, version to service, total length, identification
        return (int) (header >>> 48) == IPV4 ? ETHERNET_BYTES + (int) (header >>> 16 & 0xFFFF) : -1;
    }

    /**
     * Where a reader goes on behind what stands at {@code at}: behind the packet of {@code length}; or, where no packet is or
     * one that lies about its length, {@code ~} the place of the next header. A packet lies when it ends behind
     * {@code end}, or when a header is inside of it and either no header is behind it or its own IPv4 header is damaged.
     *
     * @param length what {@link #packetBytes} says of it
     * @param end end of the batch; there a packet ends
     */
    public static long next(MemorySegment memory, long at, int length, long end) {
        long next = at + padded(length);
        if (length < 0 || next > end) {
            return ~nextHeader(memory, at + RxPipe.QUANTUM_BYTES, end);
        }
        if (next - at <= RxPipe.QUANTUM_BYTES || !PacketStarts.isDamaged(memory, at, end)
                && (next == end || ipv4Bytes(memory, next) >= 0 || PacketStarts.isHeader(memory, next, end))) {
            return next;
        }
        long inside = PacketStarts.next(memory, at + RxPipe.QUANTUM_BYTES, next, end);
        return inside < next ? ~inside : next;
    }

    /**
     * Where a packet starts again, behind bytes that are none: the first quantum from {@code from} on with a header, behind up
     * to three tags, of IPv4 with a right checksum, of IPv6 whose length fits, or of ARP for IPv4; or of another kind whose
     * length is known and behind which such a header or the end is; {@code end} if there is none.
     */
    public static long nextHeader(MemorySegment memory, long from, long end) {
        return PacketStarts.next(memory, from, end, end);
    }

    /** A length with the padding up to the next packet. */
    public static long padded(int packetBytes) {
        return packetBytes + RxPipe.QUANTUM_BYTES - 1 & -(long) RxPipe.QUANTUM_BYTES;
    }
}
