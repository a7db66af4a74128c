package dev.bascule.model.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/** Capture files of every dialect, drawn from a seed: written byte by byte from the drafts, without the product's writer. */
final class CaptureCorpus {
    private static final int FRAMES = 6;

    private final Random random;
    private final Map<String, byte[]> files = new LinkedHashMap<>();

    private CaptureCorpus(long seed) {
        random = new Random(seed);
    }

    /** Writes all files into a folder; their names say what is in them. */
    static List<Path> write(Path folder, long seed) throws IOException {
        CaptureCorpus corpus = new CaptureCorpus(seed);
        corpus.classic();
        corpus.blocks();
        List<Path> written = new ArrayList<>();
        for (Map.Entry<String, byte[]> one : corpus.files.entrySet()) {
            written.add(Files.write(folder.resolve(one.getKey()), one.getValue()));
        }
        return written;
    }

    private void classic() throws IOException {
        for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
            String side = order == ByteOrder.LITTLE_ENDIAN ? "le" : "be";
            files.put("micros-" + side + ".pcap", pcap(order, 0xa1b2c3d4, 4, 1, 1_000_000, 0));
            files.put("nanos-" + side + ".pcap", pcap(order, 0xa1b23c4d, 4, 1, 1_000_000_000, 0));
            files.put("fcs-" + side + ".pcap", pcap(order, 0xa1b2c3d4, 4, 0x2400_0001, 1_000_000, 0));
            files.put("aix-" + side + ".pcap", pcap(order, 0xa1b2c3d4, 2, 6, 1_000_000_000, 0));
            files.put("minor2-" + side + ".pcap", pcap(order, 0xa1b2c3d4, 2, 1, 1_000_000, 0));
            files.put("minor3-" + side + ".pcap", pcap(order, 0xa1b2c3d4, 3, 1, 1_000_000, 0));
            files.put("ixia-hw-" + side + ".pcap", pcap(order, 0x1c0001ac, 4, 1, 1_000_000, 4));
            files.put("ixia-sw-" + side + ".pcap", pcap(order, 0x1c0001ab, 4, 1, 1_000_000, 4));
        }
        files.put("packed.pcap.gz", gzip(files.get("micros-le.pcap")));
    }

    /** {@code minor} 3 has the two lengths of each second record exchanged. */
    private byte[] pcap(ByteOrder order, int magic, int minor, int network, int unit, int extra) {
        ByteBuffer out = ByteBuffer.allocate(1 << 16).order(order);
        out.putInt(magic).putShort((short) 2).putShort((short) minor).putLong(0).putInt(65535).putInt(network);
        out.put(new byte[extra]);
        for (int i = 0; i < FRAMES; i++) {
            byte[] data = frame();
            int original = data.length + (i % 3 == 1 ? random.nextInt(1, 100) : 0);
            out.putInt(random.nextInt() & Integer.MAX_VALUE).putInt(random.nextInt(unit));
            if (minor == 3 && i % 2 == 1 || minor == 2) {
                out.putInt(original).putInt(data.length).put(data);
            } else {
                out.putInt(data.length).putInt(original).put(data);
            }
        }
        return bytes(out);
    }

    private void blocks() throws IOException {
        for (int code : new int[] { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x80, 0x81, 0x8a, 0x94, 0x9e, 0xa0 }) {
            String name = (code & 0x80) == 0 ? "ten" + code : "two" + (code & 0x7f);
            files.put("resolution-" + name + ".pcapng", resolution(ByteOrder.LITTLE_ENDIAN, code, 0));
            files.put("resolution-" + name + "-be.pcapng", resolution(ByteOrder.BIG_ENDIAN, code, 0));
            files.put("offset-" + name + ".pcapng", resolution(ByteOrder.LITTLE_ENDIAN, code, 1_000_000 + code));
        }
        for (int i = 0; i < 12; i++) {
            files.put("mixed-" + i + ".pcapng", mixed(i % 2 == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN));
        }
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.write(mixed(ByteOrder.LITTLE_ENDIAN));
        both.write(mixed(ByteOrder.BIG_ENDIAN));
        files.put("sections.pcapng", both.toByteArray());
        files.put("packed.pcapng.gz", gzip(both.toByteArray()));
    }

    private byte[] resolution(ByteOrder order, int code, long offsetSeconds) {
        ByteBuffer out = ByteBuffer.allocate(1 << 16).order(order);
        section(out);
        describe(out, code, offsetSeconds, 0, 0);
        double perSecond = Math.pow((code & 0x80) == 0 ? 10 : 2, code & 0x7f);
        for (int i = 0; i < FRAMES; i++) {
            long ticks = (long) (random.nextInt(1, 2_000_000_000) * perSecond) + random.nextInt(1_000_000);
            enhanced(out, 0, ticks, frame(), 0, -1);
        }
        return bytes(out);
    }

    /** Interfaces of different clocks, packets of all three kinds, and much that has no packet. */
    private byte[] mixed(ByteOrder order) {
        ByteBuffer out = ByteBuffer.allocate(1 << 18).order(order);
        section(out);
        int interfaces = random.nextInt(1, 5);
        for (int i = 0; i < interfaces; i++) {
            describe(out, random.nextBoolean() ? 6 : 9, random.nextInt(3), i == 0 ? 200 : 0, 0);
        }
        for (int i = 0; i < 3 * FRAMES; i++) {
            int which = random.nextInt(interfaces);
            long ticks = 1_000_000_000_000L + random.nextInt();
            switch (random.nextInt(5)) {
                case 0 -> simple(out, frame());
                case 1 -> obsolete(out, which, ticks, frame());
                case 2 -> block(out, 0x4000_0000 | random.nextInt(100), new byte[4 * random.nextInt(9)]); // unknown
                case 3 -> block(out, 4, new byte[4]); // names, none
                default -> enhanced(out, which, ticks, frame(), random.nextInt(3), random.nextInt(2) - 1);
            }
        }
        return bytes(out);
    }

    private byte[] frame() {
        byte[] data = new byte[random.nextInt(4) == 0 ? random.nextInt(14, 60) : random.nextInt(60, 200)];
        random.nextBytes(data);
        data[12] = (byte) 0x88; // of a type that is not looked into
        data[13] = (byte) 0xb5;
        return data;
    }

    private void section(ByteBuffer out) {
        byte[] comment = new byte[random.nextInt(20)];
        int length = 28 + 4 + padded(comment.length) + 4;
        out.putInt(0x0a0d0d0a).putInt(length).putInt(0x1a2b3c4d).putShort((short) 1).putShort((short) 0).putLong(-1);
        option(out, 1, comment);
        out.putInt(0).putInt(length);
    }

    private void describe(ByteBuffer out, int code, long offsetSeconds, int snap, int fcsBytes) {
        ByteBuffer body = ByteBuffer.allocate(200).order(out.order());
        body.putShort((short) 1).putShort((short) 0).putInt(snap);
        option(body, 2, new byte[] { 'e', 't', 'h' });
        option(body, 9, new byte[] { (byte) code });
        if (offsetSeconds != 0) {
            option(body, 14, ByteBuffer.allocate(8).order(out.order()).putLong(offsetSeconds).array());
        }
        if (fcsBytes != 0) {
            option(body, 13, new byte[] { (byte) fcsBytes });
        }
        body.putInt(0);
        block(out, 1, bytes(body));
    }

    private void enhanced(ByteBuffer out, int which, long ticks, byte[] data, int beyond, int comment) {
        ByteBuffer body = ByteBuffer.allocate(1000).order(out.order());
        body.putInt(which).putInt((int) (ticks >>> 32)).putInt((int) ticks).putInt(data.length)
                .putInt(data.length + beyond);
        body.put(data).put(new byte[padded(data.length) - data.length]);
        if (comment >= 0) {
            option(body, 1, new byte[] { 'h', 'i' });
            option(body, 2, new byte[4]); // flags: nothing known
            body.putInt(0);
        }
        block(out, 6, bytes(body));
    }

    private void obsolete(ByteBuffer out, int which, long ticks, byte[] data) {
        ByteBuffer body = ByteBuffer.allocate(1000).order(out.order());
        body.putShort((short) which).putShort((short) random.nextInt()).putInt((int) (ticks >>> 32)).putInt((int) ticks)
                .putInt(data.length).putInt(data.length);
        body.put(data).put(new byte[padded(data.length) - data.length]);
        block(out, 2, bytes(body));
    }

    /** Of the first interface, whose 200 bytes it does not exceed. */
    private static void simple(ByteBuffer out, byte[] data) {
        ByteBuffer body = ByteBuffer.allocate(1000).order(out.order());
        body.putInt(data.length).put(data).put(new byte[padded(data.length) - data.length]);
        block(out, 3, bytes(body));
    }

    private static void block(ByteBuffer out, int type, byte[] body) {
        out.putInt(type).putInt(12 + body.length).put(body).putInt(12 + body.length);
    }

    private static void option(ByteBuffer out, int code, byte[] value) {
        out.putShort((short) code).putShort((short) value.length).put(value)
                .put(new byte[padded(value.length) - value.length]);
    }

    private static int padded(int length) {
        return length + 3 & ~3;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] all = new byte[buffer.position()];
        buffer.get(0, all);
        return all;
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream packed = new GZIPOutputStream(out)) {
            packed.write(bytes);
        }
        return out.toByteArray();
    }
}
