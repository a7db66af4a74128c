package dev.bascule.model.enso;

/** Ethernet/IPv4 frames of 64 bytes for tests. */
final class Frames {
    private Frames() {}

    static byte[] tcp(int sourceIp, int sourcePort, int destinationIp, int destinationPort, int flags) {
        byte[] frame = ports(ip(sourceIp, destinationIp, 6), sourcePort, destinationPort);
        frame[47] = (byte) flags;
        return frame;
    }

    static byte[] udp(int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        return ports(ip(sourceIp, destinationIp, 17), sourcePort, destinationPort);
    }

    static byte[] ip(int sourceIp, int destinationIp, int protocol) {
        byte[] frame = new byte[64];
        put(frame, 12, 2, 0x0800);
        frame[14] = 0x45;
        put(frame, 16, 2, 50);
        frame[23] = (byte) protocol;
        put(frame, 26, 4, sourceIp);
        put(frame, 30, 4, destinationIp);
        return frame;
    }

    private static byte[] ports(byte[] frame, int source, int destination) {
        put(frame, 34, 2, source);
        put(frame, 36, 2, destination);
        return frame;
    }

    private static void put(byte[] frame, int offset, int bytes, int value) {
        for (int i = 0; i < bytes; i++) {
            frame[offset + i] = (byte) (value >>> (8 * (bytes - 1 - i)));
        }
    }
}
