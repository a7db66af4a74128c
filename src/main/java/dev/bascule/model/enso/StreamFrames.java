package dev.bascule.model.enso;

import java.util.Arrays;

/**
 * The frames that carry byte streams: TCP segments (RFC 9293) with the position as sequence number, what was received as
 * acknowledgement, and the credit in flits as window. No options, no retransmission.
 */
final class StreamFrames {
    static final int SYN = 2;
    static final int RST = 4;
    /** Asks for an acknowledgement, by a sequence number that is one too low (RFC 9293, 3.8.4); no flag on the wire. */
    static final int PROBE = 0x100 | TcpIp.ACK;
    /** Bytes of a stream in one frame: an IPv4 packet of 1,500 bytes. */
    static final int MOST_BYTES = 1460;

    private static final int TCP = TcpIp.IP + 20;
    private static final int PAYLOAD = TCP + 20;
    private static final int SHORTEST = 60;
    private static final int ACKNOWLEDGED = TCP + 8;
    private static final int WINDOW = TCP + 14;

    private StreamFrames() {}

    /** A frame with the first {@code lengthBytes} of the stream's segment. */
    static byte[] build(ByteStream stream, int flags, int lengthBytes, int windowFlits) {
        StreamKey key = stream.key;
        byte[] frame = new byte[Math.max(SHORTEST, PAYLOAD + lengthBytes)];
        mac(frame, 0, key.peerIp());
        mac(frame, 6, key.ownIp());
        TcpIp.put16(frame, 12, 0x0800);
        frame[TcpIp.IP] = 0x45;
        frame[TcpIp.IP + 8] = 64;
        frame[TcpIp.IP + 9] = TcpIp.TCP;
        TcpIp.put32(frame, TcpIp.IP + 12, key.ownIp());
        TcpIp.put32(frame, TcpIp.IP + 16, key.peerIp());
        TcpIp.put16(frame, TCP, key.ownPort());
        TcpIp.put16(frame, TCP + 2, key.peerPort());
        TcpIp.put32(frame, TCP + TcpIp.SEQUENCE, (int) stream.sent - (flags == PROBE ? 1 : 0));
        TcpIp.put32(frame, ACKNOWLEDGED, (int) stream.received);
        frame[TCP + 12] = 0x50;
        frame[TCP + TcpIp.FLAGS] = (byte) flags;
        TcpIp.put16(frame, WINDOW, windowFlits);
        System.arraycopy(stream.segment, 0, frame, PAYLOAD, lengthBytes);
        TcpIp.seal(frame, PAYLOAD + lengthBytes);
        return frame;
    }

    /** Ethernet addresses follow from IPv4 addresses: locally administered, 02:00 before them. */
    private static void mac(byte[] frame, int at, int ip) {
        frame[at] = 2;
        TcpIp.put32(frame, at + 2, ip);
    }

    /** Whether it is a TCP segment without IPv4 options. */
    static boolean isSegment(byte[] frame) {
        return TcpIp.is(frame, frame.length, TcpIp.TCP) && TcpIp.transport(frame) == TCP;
    }

    /** Whether all its sums are right. */
    static boolean isWhole(byte[] frame) {
        byte[] again = frame.clone();
        TcpIp.seal(again, TcpIp.end(frame));
        return Arrays.equals(again, frame);
    }

    /** The stream it is for, seen from the end that receives it. */
    static StreamKey key(byte[] frame) {
        return new StreamKey(TcpIp.i32(frame, TcpIp.IP + 16), TcpIp.u16(frame, TCP + 2),
                TcpIp.i32(frame, TcpIp.IP + 12), TcpIp.u16(frame, TCP));
    }

    static int flags(byte[] frame) {
        return frame[TCP + TcpIp.FLAGS] & 0xFF;
    }

    static int sequence(byte[] frame) {
        return TcpIp.i32(frame, TCP + TcpIp.SEQUENCE);
    }

    static int acknowledged(byte[] frame) {
        return TcpIp.i32(frame, ACKNOWLEDGED);
    }

    static int windowFlits(byte[] frame) {
        return TcpIp.u16(frame, WINDOW);
    }
}
