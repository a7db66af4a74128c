package dev.bascule.model.enso;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Cuts long TCP and UDP packets on their way out into frames that Ethernet carries, as TCP segmentation offload and its
 * like for UDP do. Not part of Ensō's hardware: this model's, for a driver that asks for it. Off at first.
 */
final class Segmenter {
    private static final int CONGESTION_REDUCED = 0x80;

    private int mtuBytes;

    /** @param mtu longest IPv4 packet that leaves; 0 to cut nothing */
    void configure(int mtu) {
        mtuBytes = mtu;
    }

    /** Whether the packet is to be cut. */
    boolean cuts(byte[] packet, int lengthBytes) {
        return mtuBytes > 0 && lengthBytes - TcpIp.IP > mtuBytes
                && (TcpIp.is(packet, lengthBytes, TcpIp.TCP) || TcpIp.is(packet, lengthBytes, TcpIp.UDP))
                && TcpIp.payload(packet) - TcpIp.IP < mtuBytes;
    }

    /** Hands over the pieces in order. */
    void cut(byte[] packet, Consumer<byte[]> piece) {
        int header = TcpIp.payload(packet);
        int end = TcpIp.end(packet);
        int most = mtuBytes + TcpIp.IP - header;
        for (int at = header, number = 0; at < end; at += most, number++) {
            int bytes = Math.min(most, end - at);
            byte[] frame = Arrays.copyOf(packet, header + bytes);
            System.arraycopy(packet, at, frame, header, bytes);
            TcpIp.put16(frame, TcpIp.IP + 4, TcpIp.u16(packet, TcpIp.IP + 4) + number);
            if ((packet[TcpIp.IP + 9] & 0xFF) == TcpIp.TCP) {
                piece(packet, frame, at - header, at + bytes == end);
            }
            TcpIp.seal(frame, frame.length);
            piece.accept(frame);
        }
    }

    private static void piece(byte[] packet, byte[] frame, int offset, boolean isLast) {
        int tcp = TcpIp.transport(packet);
        TcpIp.put32(frame, tcp + TcpIp.SEQUENCE, TcpIp.i32(packet, tcp + TcpIp.SEQUENCE) + offset);
        int without = (isLast ? 0 : TcpIp.FIN | TcpIp.PSH) | (offset == 0 ? 0 : CONGESTION_REDUCED);
        frame[tcp + TcpIp.FLAGS] &= (byte) ~without;
    }
}
