package dev.bascule.nic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Headers of a frame, read only where they are: behind tags (802.1Q, QinQ), SNAP, PPPoE or MPLS labels, IPv4 with options or
 * IPv6 with extension headers, and TCP or UDP behind it unless the frame is a later fragment or ends before. What a tunnel
 * carries (IP in IP, GRE, VXLAN) is payload. All places are bytes from the start of the frame; {@link #NONE} is what is not
 * there. No byte outside of the frame is read, whatever is in it.
 * <p>
 * Thread rule: one thread; an object is reused from frame to frame and allocates nothing.
 */
public final class PacketHeaders {
    /** Place or number of what the frame does not have. */
    public static final int NONE = -1;
    /** Protocol number of ICMP. */
    public static final int ICMP = 1;
    /** Protocol number of TCP. */
    public static final int TCP = 6;
    /** Protocol number of UDP. */
    public static final int UDP = 17;

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int TYPE_AT = 12;
    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86DD;
    private static final int TAG = 0x8100;
    private static final int PROVIDER_TAG = 0x88A8;
    private static final int OLD_PROVIDER_TAG = 0x9100;
    private static final int PPPOE_SESSION = 0x8864;
    private static final int MPLS = 0x8847;
    private static final int MPLS_MULTICAST = 0x8848;
    private static final int LARGEST_LENGTH = 1500;
    private static final int PPP_IPV4 = 0x0021;
    private static final int PPP_IPV6 = 0x0057;
    private static final long SNAP = 0xAAAA_0300_0000L;
    private static final int IPV6_BYTES = 40;
    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int AUTHENTICATION = 51;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int MOBILITY = 135;
    private static final int HOST_IDENTITY = 139;
    private static final int SHIM = 140;
    private static final int TCP_BYTES = 20;
    private static final int UDP_BYTES = 8;
    private static final int IPV4_CHECKSUM = 10;
    private static final int UDP_CHECKSUM = 6;
    private static final int TCP_CHECKSUM = 16;

    private MemorySegment memory = MemorySegment.NULL;
    private long start;
    private int end;
    private int type = NONE;
    private int network = NONE;
    private boolean isIpv6;
    private boolean isFragment;
    private boolean isCut;
    private int protocol = NONE;
    private int transport = NONE;
    private int payload = NONE;
    private int payloadEnd = NONE;

    /** Of no frame yet. */
    public PacketHeaders() {}

    /**
     * Reads the headers of a frame.
     *
     * @param in where it lies
     * @param offset its first byte in {@code in}
     * @return whether it {@link #hasPorts}
     */
    public boolean read(MemorySegment in, long offset, int lengthBytes) {
        memory = in;
        start = offset;
        end = lengthBytes;
        type = NONE;
        network = NONE;
        isIpv6 = false;
        isFragment = false;
        isCut = false;
        protocol = NONE;
        transport = NONE;
        payload = NONE;
        payloadEnd = NONE;
        if (lengthBytes >= PacketFormat.ETHERNET_BYTES) {
            link(TYPE_AT);
        }
        return hasPorts();
    }

    /** Reads what is behind the type at {@code typeAt}. */
    private void link(int typeAt) {
        int at = typeAt + 2;
        type = u16(typeAt);
        while (isTag(type) && at + 4 <= end) {
            type = u16(at + 2);
            at += 4;
        }
        if (type == IPV4) {
            ipv4(at);
        } else if (type == IPV6) {
            ipv6(at);
        } else if (type <= LARGEST_LENGTH) {
            llc(at);
        } else if (type == PPPOE_SESSION) {
            pppoe(at);
        } else if (type == MPLS || type == MPLS_MULTICAST) {
            mpls(at);
        }
    }

    private static boolean isTag(int type) {
        return type == TAG || type == PROVIDER_TAG || type == OLD_PROVIDER_TAG;
    }

    /** Behind a length: a type only if a SNAP header has one. */
    private void llc(int at) {
        end = Math.min(end, at + type);
        if (at + 8 > end || ((long) u16(at) << 32 | i32(at + 2) & 0xFFFF_FFFFL) != SNAP) {
            return;
        }
        type = u16(at + 6);
        if (type == IPV4) {
            ipv4(at + 8);
        } else if (type == IPV6) {
            ipv6(at + 8);
        }
    }

    private void pppoe(int at) {
        if (at + 8 > end || u16(at) != 0x1100) {
            return;
        }
        end = Math.min(end, at + 6 + u16(at + 4));
        int kind = at + 8 > end ? NONE : u16(at + 6);
        if (kind == PPP_IPV4) {
            ipv4(at + 8);
        } else if (kind == PPP_IPV6) {
            ipv6(at + 8);
        }
    }

    private void mpls(int at) {
        int inside = at;
        boolean isLast = false;
        while (!isLast && inside + 4 <= end) {
            isLast = (u8(inside + 2) & 1) != 0;
            inside += 4;
        }
        if (!isLast || inside >= end) {
            return;
        }
        switch (u8(inside) >>> 4) {
            case 4 -> ipv4(inside);
            case 6 -> ipv6(inside);
            default -> { // something else, which labels do not tell
            }
        }
    }

    private void ipv4(int at) {
        int headerBytes = at + 20 > end || u8(at) >>> 4 != 4 ? 0 : 4 * (u8(at) & 0xF);
        if (headerBytes < 20 || at + headerBytes > end) {
            return;
        }
        int total = u16(at + 2);
        if (total != 0 && total < headerBytes) {
            return;
        }
        network = at;
        isCut = at + total > end;
        end = total == 0 ? end : Math.min(end, at + total); // 0: a card was to cut it
        int fragment = u16(at + 6) & 0x3FFF;
        isFragment = fragment != 0;
        protocol = u8(at + 9);
        if ((fragment & 0x1FFF) == 0) {
            upper(at + headerBytes);
        }
    }

    private void ipv6(int at) {
        if (at + IPV6_BYTES > end || u8(at) >>> 4 != 6) {
            return;
        }
        network = at;
        isIpv6 = true;
        int bytes = u16(at + 4);
        isCut = at + IPV6_BYTES + bytes > end;
        end = bytes == 0 ? end : Math.min(end, at + IPV6_BYTES + bytes); // 0: a jumbogram
        protocol = u8(at + 6);
        upper(at + IPV6_BYTES);
    }

    /** Over extension headers to the transport's. */
    private void upper(int from) {
        int at = from;
        while (isExtension(protocol)) {
            int bytes = at + 8 > end ? 0 : extensionBytes(at);
            if (bytes == 0 || at + bytes > end) {
                protocol = NONE;
                return;
            }
            boolean isLater = protocol == FRAGMENT && (u16(at + 2) & 0xFFF8) != 0;
            isFragment |= protocol == FRAGMENT && (u16(at + 2) & 0xFFF9) != 0;
            protocol = u8(at);
            if (isLater) {
                return;
            }
            at += bytes;
        }
        if (at < end) {
            transport = at;
            readPayload();
        }
    }

    private boolean isExtension(int number) {
        return number == AUTHENTICATION || isIpv6 && switch (number) {
            case HOP_BY_HOP, ROUTING, FRAGMENT, DESTINATION_OPTIONS, MOBILITY, HOST_IDENTITY, SHIM -> true;
            default -> false;
        };
    }

    private int extensionBytes(int at) {
        return switch (protocol) {
            case FRAGMENT -> 8;
            case AUTHENTICATION -> 4 * (u8(at + 1) + 2);
            default -> 8 * (u8(at + 1) + 1);
        };
    }

    private void readPayload() {
        if (protocol == UDP && transport + UDP_BYTES <= end) {
            int bytes = u16(transport + 4);
            payload = transport + UDP_BYTES;
            payloadEnd = bytes == 0 ? end : Math.max(payload, Math.min(end, transport + bytes));
        } else if (protocol == TCP && transport + TCP_BYTES <= end) {
            int words = u8(transport + 12) >>> 4;
            payload = words < 5 ? end : Math.min(end, transport + 4 * words);
            payloadEnd = end;
        }
    }

    /** Type of what the Ethernet header, its tags and SNAP carry, such as 0x0800; a length if there is no type. */
    public int type() {
        return type;
    }

    /** Where the IPv4 or IPv6 header begins. */
    public int network() {
        return network;
    }

    /** Whether the frame carries IPv4, with a header that is all there. */
    public boolean isIpv4() {
        return network != NONE && !isIpv6;
    }

    /** Whether the frame carries IPv6, with a header that is all there. */
    public boolean isIpv6() {
        return isIpv6;
    }

    /** Whether it is a fragment, the first one or a later one. */
    public boolean isFragment() {
        return isFragment;
    }

    /** Whether the frame ends before its IP packet does. */
    public boolean isCut() {
        return isCut;
    }

    /** Number of the protocol behind IP and its extension headers, also in a later fragment. */
    public int protocol() {
        return protocol;
    }

    /** Where the transport's header begins; {@link #NONE} in a later fragment. */
    public int transport() {
        return transport;
    }

    /** Whether it is TCP or UDP and its header is all there: not in a later fragment. */
    public boolean hasPorts() {
        return payload != NONE;
    }

    /** The checksum that the IPv4 header should have; only if it {@link #isIpv4}. */
    public int networkChecksum() {
        int bytes = 4 * (u8(network) & 0xF);
        return ~SoftwareChecksum.fold(sum(network, IPV4_CHECKSUM) + sum(network + IPV4_CHECKSUM + 2,
                bytes - IPV4_CHECKSUM - 2)) & 0xFFFF;
    }

    /**
     * The checksum that the UDP or TCP header should have, over what follows in the frame; only if it {@link
     * #hasPorts}, is not {@linkplain #isCut cut} and no {@linkplain #isFragment fragment}. Never 0 for UDP, where that
     * says that there is none.
     */
    public int transportChecksum() {
        boolean isUdp = protocol == UDP;
        int bytes = payloadEnd - transport;
        int field = isUdp ? UDP_CHECKSUM : TCP_CHECKSUM;
        int addresses = isIpv6 ? sum(network + 8, 32) : sum(network + 12, 8);
        int all = ~SoftwareChecksum.fold((long) addresses + protocol + bytes + sum(transport, field)
                + sum(transport + field + 2, bytes - field - 2)) & 0xFFFF;
        return all == 0 && isUdp ? 0xFFFF : all;
    }

    private int sum(int from, int bytes) {
        return SoftwareChecksum.sum(memory, start + from, bytes);
    }

    /** Number of the source port; only if it {@link #hasPorts}. */
    public int sourcePort() {
        return u16(transport);
    }

    /** Number of the destination port; only if it {@link #hasPorts}. */
    public int destinationPort() {
        return u16(transport + 2);
    }

    /** Where the payload of TCP or UDP begins. */
    public int payload() {
        return payload;
    }

    /** Where it ends; padding is behind it. */
    public int payloadEnd() {
        return payloadEnd;
    }

    /** End of the IP packet, or of the frame if there is none. */
    public int end() {
        return end;
    }

    /** Hash of addresses and protocol, and of the ports if it {@link #hasPorts}; 0 if it is not IP. */
    public int flowHash() {
        if (network == NONE) {
            return 0;
        }
        int ports = hasPorts() ? i32(transport) : 0;
        long hash = isIpv6 ? addresses(8, 4) : i32(network + 12) * 0x9E37_79B9_7F4A_7C15L;
        hash = (hash ^ (isIpv6 ? addresses(24, 4) : i32(network + 16))) * 0xC2B2_AE3D_27D4_EB4FL;
        hash = (hash ^ ports ^ (long) protocol << 32) * 0x9E37_79B9_7F4A_7C15L;
        return (int) (hash >>> 32);
    }

    private long addresses(int from, int words) {
        long hash = 0;
        for (int i = 0; i < words; i++) {
            hash = (hash ^ i32(network + from + 4 * i)) * 0x9E37_79B9_7F4A_7C15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    private int u8(int at) {
        return memory.get(ValueLayout.JAVA_BYTE, start + at) & 0xFF;
    }

    private int u16(int at) {
        return memory.get(SHORT, start + at) & 0xFFFF;
    }

    private int i32(int at) {
        return memory.get(INT, start + at);
    }
}
