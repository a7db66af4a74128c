package dev.bascule.app.enso;

import java.util.SplittableRandom;

/** Frames for measurements: UDP over IPv4 with right checksums, of many flows. */
public final class Traffic {
    public static final int SERVER = 0xC0A8_0001;
    public static final int PORT = 9000;

    private static final int HEADER_BYTES = 42;

    private Traffic() {}

    /**
     * Frames of one size.
     *
     * @param flows how many different sources
     * @param lengthBytes of each, without FCS, at least 60
     */
    static byte[][] udp(int flows, int lengthBytes, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[][] frames = new byte[flows][];
        for (int i = 0; i < flows; i++) {
            frames[i] = udp(random.nextInt(), 1024 + random.nextInt(60_000), lengthBytes);
        }
        return frames;
    }

    /** A UDP frame to the server, padded to its length. */
    public static byte[] udp(int source, int sourcePort, int lengthBytes) {
        byte[] frame = new byte[Math.max(lengthBytes, HEADER_BYTES)];
        put(frame, 0, 4, 0x0200_0000);
        put(frame, 6, 4, 0x0200_0001);
        put(frame, 12, 2, 0x0800);
        frame[14] = 0x45;
        put(frame, 16, 2, frame.length - 14);
        frame[22] = 64;
        frame[23] = 17;
        put(frame, 26, 4, source);
        put(frame, 30, 4, SERVER);
        put(frame, 24, 2, checksum(frame, 14, 20));
        put(frame, 34, 2, sourcePort);
        put(frame, 36, 2, PORT);
        put(frame, 38, 2, frame.length - 34);
        return frame;
    }

    /** Writes a number of so many bytes in network order. */
    public static void put(byte[] frame, int at, int bytes, long value) {
        for (int i = 0; i < bytes; i++) {
            frame[at + i] = (byte) (value >>> 8 * (bytes - 1 - i));
        }
    }

    private static int checksum(byte[] bytes, int from, int length) {
        int sum = 0;
        for (int i = from; i < from + length; i += 2) {
            sum += (bytes[i] & 0xFF) << 8 | bytes[i + 1] & 0xFF;
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return ~sum & 0xFFFF;
    }
}
