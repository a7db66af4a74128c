package dev.bascule.app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Frames in memory, with right checksums. */
final class AppFrames {
    static final int SERVER = 0xC0A80001;

    private AppFrames() {}

    static MemorySegment udp(int source, int sourcePort, int port, byte[] payload) {
        MemorySegment frame = Arena.ofAuto().allocate(2048, 64);
        ip(frame, source, sourcePort, port, 17, 28 + payload.length);
        Headers.putU16(frame, Headers.UDP_LENGTH, 8 + payload.length);
        MemorySegment.copy(payload, 0, frame, ValueLayout.JAVA_BYTE, Headers.UDP_PAYLOAD, payload.length);
        Headers.putU16(frame, Headers.UDP_CHECKSUM, transportSum(frame, 8 + payload.length));
        return frame;
    }

    static MemorySegment udp(String text) {
        return udp(0x0A000001, 4000, 514, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static MemorySegment tcp(int source, int sourcePort, int port) {
        MemorySegment frame = Arena.ofAuto().allocate(2048, 64);
        ip(frame, source, sourcePort, port, 6, 40);
        frame.set(ValueLayout.JAVA_BYTE, Headers.TCP_DATA_OFFSET, (byte) 0x50);
        Headers.putU16(frame, Headers.IP + 36, transportSum(frame, 20));
        return frame;
    }

    private static void ip(MemorySegment frame, int source, int sourcePort, int port, int protocol, int length) {
        Headers.putI32(frame, 0, 0x02000000);
        Headers.putU16(frame, 4, 1);
        Headers.putI32(frame, 6, 0x02000000);
        Headers.putU16(frame, 10, 2);
        Headers.putU16(frame, Headers.TYPE, Headers.IPV4);
        frame.set(ValueLayout.JAVA_BYTE, Headers.IP, (byte) 0x45);
        Headers.putU16(frame, Headers.IP_LENGTH, length);
        frame.set(ValueLayout.JAVA_BYTE, Headers.IP_PROTOCOL, (byte) protocol);
        Headers.putI32(frame, Headers.SOURCE_IP, source);
        Headers.putI32(frame, Headers.DESTINATION_IP, SERVER);
        Headers.putU16(frame, Headers.SOURCE_PORT, sourcePort);
        Headers.putU16(frame, Headers.DESTINATION_PORT, port);
        Headers.putU16(frame, Headers.IP_CHECKSUM, ~sum(frame, Headers.IP, 20, 0) & 0xFFFF);
    }

    static int length(MemorySegment frame) {
        return Headers.IP + Headers.u16(frame, Headers.IP_LENGTH);
    }

    /** 0xFFFF when the header's checksum is right. */
    static int headerSum(MemorySegment frame) {
        return sum(frame, Headers.IP, 20, 0);
    }

    /** The checksum of the transport's header and payload; 0 when the one in the packet is right. */
    static int transportSum(MemorySegment frame, int lengthBytes) {
        int pseudo = sum(frame, Headers.SOURCE_IP, 8, Headers.u8(frame, Headers.IP_PROTOCOL) + lengthBytes);
        return ~sum(frame, Headers.SOURCE_PORT, lengthBytes, pseudo) & 0xFFFF;
    }

    private static int sum(MemorySegment frame, long from, int lengthBytes, int start) {
        int sum = start;
        for (int i = 0; i < lengthBytes; i++) {
            sum += Headers.u8(frame, from + i) << (i % 2 == 0 ? 8 : 0);
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return (sum & 0xFFFF) + (sum >>> 16);
    }
}
