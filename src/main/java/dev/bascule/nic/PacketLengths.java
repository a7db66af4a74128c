package dev.bascule.nic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Lengths of packets that are not plain IPv4, and what stands behind their tags. */
final class PacketLengths {
    static final int IPV4 = 0x0800;
    static final int ARP = 0x0806;
    static final int IPV6 = 0x86DD;
    static final int LARGEST_LENGTH_FIELD = 1500;
    /** Shortest packet behind a length field. */
    static final int LLC_BYTES = 3;
    static final int IPV6_HEADER_BYTES = 40;
    private static final int ARP_BYTES = 28;
    private static final int VLAN = 0x8100;
    private static final int PROVIDER_VLAN = 0x88A8;
    private static final int OLD_VLAN = 0x9100;
    private static final int MOST_TAGS = 3;
    private static final int PPPOE_DISCOVERY = 0x8863;
    private static final int PPPOE_SESSION = 0x8864;
    private static final int PPPOE_BYTES = 6;
    private static final int PPPOE_VERSION = 0x11;
    private static final int MPLS = 0x8847;
    private static final int MOST_LABELS = 8;
    private static final int MAC_CONTROL = 0x8808;
    private static final int MAC_CONTROL_BYTES = 46;
    private static final int LLDP = 0x88CC;
    /** Chassis, port and time to live come first, in this order. */
    private static final int LLDP_MANDATORY = 3;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private PacketLengths() {}

    /** Length of the packet at {@code offset} without what is behind it; -1 when it cannot be told. */
    static int of(MemorySegment memory, long offset, long availableBytes) {
        long end = offset + availableBytes;
        long at = offset + payload(memory, offset);
        int type = u16(memory, at - 2);
        long last = switch (type) {
            case ARP -> at + ARP_BYTES;
            case PPPOE_DISCOVERY, PPPOE_SESSION -> u8(memory, at) == PPPOE_VERSION
                    ? at + PPPOE_BYTES + u16(memory, at + 4)
                    : -1;
            case MPLS -> labelled(memory, at, end);
            case MAC_CONTROL -> at + MAC_CONTROL_BYTES;
            case LLDP -> discovered(memory, at, end);
            default -> type > LARGEST_LENGTH_FIELD
                    ? ip(memory, at, type)
                    : type >= LLC_BYTES ? at + type : -1; // and so zeros are no packet
        };
        return last < 0 ? -1 : (int) (last - offset);
    }

    /** Where the payload begins, behind Ethernet's header and tags; the two bytes before it are its type. */
    static int payload(MemorySegment memory, long offset) {
        int at = PacketFormat.ETHERNET_BYTES;
        for (int tags = 0; tags < MOST_TAGS && isTag(u16(memory, offset + at - 2)); tags++) {
            at += 4;
        }
        return at;
    }

    private static boolean isTag(int type) {
        return type == VLAN || type == PROVIDER_VLAN || type == OLD_VLAN;
    }

    private static long ip(MemorySegment memory, long at, int type) {
        return switch (type) {
            case IPV4 -> at + u16(memory, at + 2);
            case IPV6 -> at + IPV6_HEADER_BYTES + u16(memory, at + 4);
            default -> -1;
        };
    }

    /** Behind MPLS labels, by what version the first four bits of the packet name. */
    private static long labelled(MemorySegment memory, long start, long end) {
        long at = start;
        for (int labels = 0; labels < MOST_LABELS && at + 10 <= end; labels++) {
            boolean isLast = (u8(memory, at + 2) & 1) != 0;
            at += 4;
            if (isLast) {
                int version = u8(memory, at) >> 4;
                return version == 4 ? ip(memory, at, IPV4) : version == 6 ? ip(memory, at, IPV6) : -1;
            }
        }
        return -1;
    }

    /** Behind the values of an LLDP packet: each has a type of 7 bits and a length of 9, and the last is of type 0. */
    private static long discovered(MemorySegment memory, long start, long end) {
        int count = 0;
        long limit = Math.min(end, start + LARGEST_LENGTH_FIELD);
        for (long at = start; at + 2 <= limit;) {
            int head = u16(memory, at);
            int type = head >> 9;
            if (count++ < LLDP_MANDATORY && type != count) {
                return -1;
            }
            at += 2 + (head & 0x1FF);
            if (type == 0) {
                return at;
            }
        }
        return -1;
    }

    static int u8(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_BYTE, offset) & 0xFF;
    }

    static int u16(MemorySegment memory, long offset) {
        return memory.get(SHORT, offset) & 0xFFFF;
    }
}
