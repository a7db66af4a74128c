package dev.bascule.model.enso;

/** Fields of IPv4 packets without VLAN tag in a byte array, and their checksums. */
final class TcpIp {
    static final int IP = 14;
    static final int TCP = 6;
    static final int UDP = 17;
    static final int FIN = 1;
    static final int PSH = 8;
    static final int ACK = 16;
    static final int SEQUENCE = 4;
    static final int FLAGS = 13;

    private static final int FRAGMENT = 0x3FFF;
    private static final int IP_LENGTH = IP + 2;
    private static final int IP_SUM = IP + 10;
    private static final int ADDRESSES = IP + 12;

    private TcpIp() {}

    /** Whether it is a whole IPv4 packet of {@code protocol} with its header. */
    static boolean is(byte[] packet, int lengthBytes, int protocol) {
        return lengthBytes >= IP + 40 && u16(packet, 12) == 0x0800 && (packet[IP] & 0xF0) == 0x40
                && transport(packet) >= IP + 20 && (u16(packet, IP + 6) & FRAGMENT) == 0
                && (packet[IP + 9] & 0xFF) == protocol && end(packet) <= lengthBytes && payload(packet) <= end(packet);
    }

    /** Where the transport header starts. */
    static int transport(byte[] packet) {
        return IP + 4 * (packet[IP] & 0xF);
    }

    /** Where the payload starts. */
    static int payload(byte[] packet) {
        int transport = transport(packet);
        return (packet[IP + 9] & 0xFF) == UDP ? transport + 8 : transport + 4 * (packet[transport + 12] >>> 4 & 0xF);
    }

    /** Where the packet ends; behind it is padding. */
    static int end(byte[] packet) {
        return IP + u16(packet, IP_LENGTH);
    }

    /** Makes lengths and checksums those of a packet that ends at {@code end}. */
    static void seal(byte[] packet, int end) {
        put16(packet, IP_LENGTH, end - IP);
        put16(packet, IP_SUM, 0);
        int transport = transport(packet);
        put16(packet, IP_SUM, ~fold(sum(packet, IP, transport)) & 0xFFFF);
        boolean isUdp = (packet[IP + 9] & 0xFF) == UDP;
        int at = transport + (isUdp ? 6 : 16);
        if (isUdp) {
            put16(packet, transport + 4, end - transport);
            if (u16(packet, at) == 0) {
                return; // it has none
            }
        }
        put16(packet, at, 0);
        long pseudo = sum(packet, ADDRESSES, ADDRESSES + 8) + (packet[IP + 9] & 0xFF) + end - transport;
        int sum = ~fold(pseudo + sum(packet, transport, end)) & 0xFFFF;
        put16(packet, at, isUdp && sum == 0 ? 0xFFFF : sum);
    }

    private static long sum(byte[] bytes, int from, int end) {
        long sum = 0;
        for (int i = from; i < end; i += 2) {
            sum += (bytes[i] & 0xFF) << 8 | (i + 1 < end ? bytes[i + 1] & 0xFF : 0);
        }
        return sum;
    }

    private static int fold(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xFFFF) + (folded >>> 16);
        }
        return (int) folded;
    }

    static int u16(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }

    static int i32(byte[] bytes, int at) {
        return u16(bytes, at) << 16 | u16(bytes, at + 2);
    }

    static void put16(byte[] bytes, int at, int value) {
        bytes[at] = (byte) (value >>> 8);
        bytes[at + 1] = (byte) value;
    }

    static void put32(byte[] bytes, int at, int value) {
        put16(bytes, at, value >>> 16);
        put16(bytes, at + 2, value);
    }
}
