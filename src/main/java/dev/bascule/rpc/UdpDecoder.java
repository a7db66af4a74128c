package dev.bascule.rpc;

/**
 * Takes an Ethernet frame with a UDP datagram apart as it streams in, beat by beat: each header is looked at when its last
 * byte has come, and nothing is looked at twice. Pieces may be of any length.
 * <p>
 * IPv4 with options, IPv6 without extension headers. Frames that are something else are {@link Verdict#OTHER}, for
 * somebody else to look at. Every length is the sender's claim.
 * <p>
 * Thread rule: one thread. Allocation-free after construction.
 */
public final class UdpDecoder {
    /** Verdict on a frame. */
    public enum Verdict {
        /** A UDP datagram; flow and payload are valid. */
        UDP,
        /** No IP, or no UDP. */
        OTHER,
        /** A fragment: nothing puts them together here. */
        FRAGMENT,
        /** It ends before its headers, or before the lengths that they claim. */
        TRUNCATED,
        /** Lengths that contradict each other. */
        BAD_LENGTH,
        /** Checksum of the IPv4 header. */
        BAD_IP_CHECKSUM,
        /** Checksum of the datagram. */
        BAD_UDP_CHECKSUM,
        /** More payload than there is room for. */
        TOO_LONG
    }

    private static final int ETHERNET = 0;
    private static final int IP_START = 1;
    private static final int IPV4 = 2;
    private static final int IPV6 = 3;
    private static final int UDP = 4;
    private static final int PAYLOAD = 5;
    private static final int REST = 6;

    /** Bytes of an Ethernet header. */
    public static final int ETHERNET_BYTES = 14;
    static final int TYPE_IPV4 = 0x0800;
    static final int TYPE_IPV6 = 0x86dd;
    static final int PROTOCOL_UDP = 17;
    static final int IPV6_BYTES = 40;
    static final int UDP_BYTES = 8;

    private final UdpFlow flow = new UdpFlow();
    private final byte[] header = new byte[60];
    private final byte[] payload;
    private int stage;
    private int have;
    private int need;
    private int type;
    private int ipPayload;
    private int length;
    private int got;
    private int claimedChecksum;
    private long sum;
    private Verdict verdict = Verdict.TRUNCATED;

    /** A decoder for payloads up to so many bytes. */
    public UdpDecoder(int mostPayloadBytes) {
        payload = new byte[mostPayloadBytes];
    }

    /** A frame begins. */
    public void begin() {
        next(ETHERNET, ETHERNET_BYTES);
        verdict = Verdict.TRUNCATED;
        length = 0;
        got = 0;
    }

    private void next(int newStage, int bytes) {
        stage = newStage;
        need = bytes;
        have = 0;
    }

    private void reject(Verdict why) {
        verdict = why;
        stage = REST;
    }

    /** The next piece of the frame. */
    public void feed(byte[] data, int offset, int bytes) {
        int at = offset;
        int end = offset + bytes;
        while (at < end && stage != REST) {
            if (stage == PAYLOAD) {
                int part = Math.min(end - at, length - got);
                System.arraycopy(data, at, payload, got, part);
                got += part;
                at += part;
                if (got == length) {
                    finish();
                }
            } else {
                int part = Math.min(end - at, need - have);
                System.arraycopy(data, at, header, have, part);
                have += part;
                at += part;
                if (have == need) {
                    complete();
                }
            }
        }
    }

    /** The frame is over. */
    public Verdict end() {
        return verdict;
    }

    private void complete() {
        switch (stage) {
            case ETHERNET -> ethernet();
            case IP_START -> {
                need = (header[0] & 0xf) << 2; // IPv4: the first byte says how long the header is
                stage = IPV4;
                if (header[0] >>> 4 != 4 || need < 20) {
                    reject(Verdict.BAD_LENGTH);
                }
            }
            case IPV4 -> ipv4();
            case IPV6 -> ipv6();
            default -> udp();
        }
    }

    private void ethernet() {
        flow.toMac = mac(0);
        flow.fromMac = mac(6);
        type = be16(12);
        if (type == TYPE_IPV4) {
            next(IP_START, 1);
        } else if (type == TYPE_IPV6) {
            next(IPV6, IPV6_BYTES);
        } else {
            reject(Verdict.OTHER);
        }
    }

    private void ipv4() {
        int headerBytes = need;
        int total = be16(2);
        if (InternetChecksum.fold(InternetChecksum.add(header, 0, headerBytes, 0)) != 0xffff) {
            reject(Verdict.BAD_IP_CHECKSUM);
        } else if ((be16(6) & 0x3fff) != 0) {
            reject(Verdict.FRAGMENT);
        } else if (header[9] != PROTOCOL_UDP) {
            reject(Verdict.OTHER);
        } else if (total < headerBytes + UDP_BYTES) {
            reject(Verdict.BAD_LENGTH);
        } else {
            flow.isIpv6 = false;
            flow.fromHigh = 0;
            flow.fromLow = be32(12);
            flow.toHigh = 0;
            flow.toLow = be32(16);
            sum = InternetChecksum.add(header, 12, 8, PROTOCOL_UDP);
            ipPayload = total - headerBytes;
            next(UDP, UDP_BYTES);
        }
    }

    private void ipv6() {
        ipPayload = be16(4);
        if (header[0] >>> 4 != 6) {
            reject(Verdict.BAD_LENGTH);
        } else if (header[6] != PROTOCOL_UDP) {
            reject(Verdict.OTHER);
        } else if (ipPayload < UDP_BYTES) {
            reject(Verdict.BAD_LENGTH);
        } else {
            flow.isIpv6 = true;
            flow.fromHigh = Xdr.getLong(header, 8);
            flow.fromLow = Xdr.getLong(header, 16);
            flow.toHigh = Xdr.getLong(header, 24);
            flow.toLow = Xdr.getLong(header, 32);
            sum = InternetChecksum.add(header, 8, 32, PROTOCOL_UDP);
            next(UDP, UDP_BYTES);
        }
    }

    private void udp() {
        flow.fromPort = be16(0);
        flow.toPort = be16(2);
        int udpLength = be16(4);
        claimedChecksum = be16(6);
        length = udpLength - UDP_BYTES;
        sum += udpLength;
        sum = InternetChecksum.add(header, 0, UDP_BYTES, sum);
        if (udpLength < UDP_BYTES || udpLength > ipPayload) {
            reject(Verdict.BAD_LENGTH);
        } else if (length > payload.length) {
            reject(Verdict.TOO_LONG);
        } else if (length == 0) {
            finish();
        } else {
            stage = PAYLOAD;
        }
    }

    private void finish() {
        boolean unchecked = claimedChecksum == 0 && !flow.isIpv6;
        boolean holds = unchecked
                || claimedChecksum != 0
                        && InternetChecksum.fold(InternetChecksum.add(payload, 0, length, sum)) == 0xffff;
        reject(holds ? Verdict.UDP : Verdict.BAD_UDP_CHECKSUM);
    }

    private long mac(int at) {
        return (long) be16(at) << 32 | be32(at + 2);
    }

    private int be16(int at) {
        return (header[at] & 0xff) << 8 | header[at + 1] & 0xff;
    }

    private long be32(int at) {
        return Xdr.getInt(header, at) & 0xffff_ffffL;
    }

    /** Sender and receiver of the last datagram. */
    public UdpFlow flow() {
        return flow;
    }

    /** Payload of the last datagram, from index 0; valid until the next {@link #begin}. */
    public byte[] payload() {
        return payload;
    }

    /** Bytes of the payload. */
    public int payloadBytes() {
        return length;
    }

    /** Type field of the frame. */
    public int etherType() {
        return type;
    }
}
