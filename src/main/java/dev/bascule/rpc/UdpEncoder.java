package dev.bascule.rpc;

/**
 * Writes the headers of a frame around a payload that is there already, so that nothing is moved. Checksums are filled in;
 * frames are not padded and have no FCS.
 * <p>
 * Thread rule: any thread. Allocation-free.
 */
public final class UdpEncoder {
    /** Bytes before the payload, at most: leave as many free. */
    public static final int MOST_HEADER_BYTES = UdpDecoder.ETHERNET_BYTES + UdpDecoder.IPV6_BYTES
            + UdpDecoder.UDP_BYTES;

    private static final int IPV4_BYTES = 20;
    private static final int HOPS = 64;
    private static final int DO_NOT_FRAGMENT = 0x4000;

    private UdpEncoder() {}

    /** Bytes before the payload of this flow. */
    public static int headerBytes(UdpFlow flow) {
        return flow.isIpv6 ? MOST_HEADER_BYTES : MOST_HEADER_BYTES - UdpDecoder.IPV6_BYTES + IPV4_BYTES;
    }

    /**
     * Puts headers in front of a payload.
     *
     * @param payload where it begins in {@code frame}; at least {@link #headerBytes} lie before it
     * @return where the frame begins
     */
    public static int wrap(UdpFlow flow, byte[] frame, int payload, int payloadBytes) {
        int start = payload - headerBytes(flow);
        putMac(frame, start, flow.toMac);
        putMac(frame, start + 6, flow.fromMac);
        put16(frame, start + 12, flow.isIpv6 ? UdpDecoder.TYPE_IPV6 : UdpDecoder.TYPE_IPV4);
        int ip = start + UdpDecoder.ETHERNET_BYTES;
        int udp = payload - UdpDecoder.UDP_BYTES;
        int length = payloadBytes + UdpDecoder.UDP_BYTES;
        put16(frame, udp, flow.fromPort);
        put16(frame, udp + 2, flow.toPort);
        put16(frame, udp + 4, length);
        put16(frame, udp + 6, 0);
        long sum = UdpDecoder.PROTOCOL_UDP + length;
        sum = flow.isIpv6 ? ipv6(flow, frame, ip, length, sum) : ipv4(flow, frame, ip, length, sum);
        int checksum = ~InternetChecksum.fold(InternetChecksum.add(frame, udp, length, sum)) & 0xffff;
        put16(frame, udp + 6, checksum == 0 ? 0xffff : checksum);
        return start;
    }

    private static long ipv4(UdpFlow flow, byte[] frame, int ip, int length, long sum) {
        put16(frame, ip, 0x4500);
        put16(frame, ip + 2, IPV4_BYTES + length);
        put16(frame, ip + 4, 0);
        put16(frame, ip + 6, DO_NOT_FRAGMENT);
        put16(frame, ip + 8, HOPS << 8 | UdpDecoder.PROTOCOL_UDP);
        put16(frame, ip + 10, 0);
        Xdr.putInt(frame, ip + 12, (int) flow.fromLow);
        Xdr.putInt(frame, ip + 16, (int) flow.toLow);
        put16(frame, ip + 10, ~InternetChecksum.fold(InternetChecksum.add(frame, ip, IPV4_BYTES, 0)));
        return InternetChecksum.add(frame, ip + 12, 8, sum);
    }

    private static long ipv6(UdpFlow flow, byte[] frame, int ip, int length, long sum) {
        Xdr.putInt(frame, ip, 6 << 28);
        put16(frame, ip + 4, length);
        put16(frame, ip + 6, UdpDecoder.PROTOCOL_UDP << 8 | HOPS);
        Xdr.putLong(frame, ip + 8, flow.fromHigh);
        Xdr.putLong(frame, ip + 16, flow.fromLow);
        Xdr.putLong(frame, ip + 24, flow.toHigh);
        Xdr.putLong(frame, ip + 32, flow.toLow);
        return InternetChecksum.add(frame, ip + 8, 32, sum);
    }

    private static void putMac(byte[] frame, int at, long mac) {
        put16(frame, at, (int) (mac >>> 32));
        Xdr.putInt(frame, at + 2, (int) mac);
    }

    private static void put16(byte[] frame, int at, int value) {
        frame[at] = (byte) (value >>> 8);
        frame[at + 1] = (byte) value;
    }
}
