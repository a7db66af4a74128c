package dev.bascule.model.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The block format: sections with interfaces and packets; unknown blocks are passed over. */
final class PcapngReader extends CaptureReader {
    private static final int MAX_BLOCK_BYTES = 1 << 24;
    private static final int MAX_INTERFACES = 1 << 16;

    /** Ticks of the clock in a second, and what its zero is after 1970. */
    private record Source(boolean ethernet, long snapBytes, double ticksPerSecond, long offsetSeconds) {
        long nanos(long ticks) {
            if (ticksPerSecond == 1e9) {
                return ticks + offsetSeconds * NANOS;
            }
            if (ticksPerSecond == 1e6) {
                return ticks * 1000 + offsetSeconds * NANOS;
            }
            return (long) (ticks / ticksPerSecond * 1e9) + offsetSeconds * NANOS;
        }
    }

    private final List<Source> sources = new ArrayList<>();

    PcapngReader(InputStream in, String file) throws IOException {
        super(in, file, 4);
        section();
    }

    @Override
    public @Nullable CapturedFrame next() throws IOException {
        while (true) {
            ByteBuffer start = bytesOrEnd(4, "the type of a block");
            if (start == null) {
                return null;
            }
            int type = start.getInt(0);
            if (type == SECTION) { // reads the same in both byte orders
                section();
                continue;
            }
            int length = length();
            ByteBuffer body = bytes(length - 12, "a block");
            if (bytes(4, "the end of a block").getInt(0) != length) {
                throw bad("a block whose two lengths differ; the file is damaged");
            }
            CapturedFrame frame = null;
            switch (type) {
                case INTERFACE -> describe(body);
                case ENHANCED_PACKET -> frame = enhanced(body);
                case SIMPLE_PACKET -> frame = simple(body);
                default -> {
                }
            }
            if (frame != null) {
                return frame;
            }
        }
    }

    private int length() throws IOException {
        int length = bytes(4, "the length of a block").getInt(0);
        if (length < 12 || length > MAX_BLOCK_BYTES || (length & 3) != 0) {
            throw bad("a block of " + Integer.toUnsignedString(length) + " bytes; the file is damaged");
        }
        return length;
    }

    private void section() throws IOException {
        order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer head = bytes(8, "the header of a section");
        if (head.getInt(4) == Integer.reverseBytes(BYTE_ORDER_MAGIC)) {
            order(ByteOrder.BIG_ENDIAN);
            head.order(ByteOrder.BIG_ENDIAN);
        } else if (head.getInt(4) != BYTE_ORDER_MAGIC) {
            throw bad("a section without byte order; this is no pcapng file");
        }
        int length = head.getInt(0);
        if (length < 28 || length > MAX_BLOCK_BYTES || (length & 3) != 0) {
            throw bad("a section header of " + Integer.toUnsignedString(length) + " bytes; the file is damaged");
        }
        int major = bytes(4, "the header of a section").getShort(0);
        if (major != 1) {
            throw bad("version " + major + " of pcapng; known is 1");
        }
        skip(length - 16L, "the header of a section");
        sources.clear();
    }

    private void describe(ByteBuffer body) throws CaptureFormatException {
        if (body.capacity() < 8 || sources.size() >= MAX_INTERFACES) {
            throw bad("an interface that is cut off, or one too many");
        }
        double ticks = 1e6;
        long offset = 0;
        for (int at = 8; at + 4 <= body.capacity();) {
            int option = Short.toUnsignedInt(body.getShort(at));
            int bytes = Short.toUnsignedInt(body.getShort(at + 2));
            if (option == 0 || at + 4 + bytes > body.capacity()) {
                break;
            }
            if (option == OPTION_RESOLUTION && bytes >= 1) {
                int exponent = body.get(at + 4) & 0x7f;
                ticks = Math.pow((body.get(at + 4) & 0x80) == 0 ? 10 : 2, exponent);
            } else if (option == OPTION_OFFSET && bytes >= 8) {
                offset = body.getLong(at + 4);
            }
            at += 4 + (bytes + 3 & ~3);
        }
        int snap = body.getInt(4);
        sources.add(new Source(Short.toUnsignedInt(body.getShort(0)) == ETHERNET,
                snap == 0 ? MAX_FRAME_BYTES : Integer.toUnsignedLong(snap), ticks, offset));
    }

    private CapturedFrame enhanced(ByteBuffer body) throws CaptureFormatException {
        if (body.capacity() < 20) {
            throw bad("a packet that is cut off");
        }
        int index = body.getInt(0);
        long ticks = Integer.toUnsignedLong(body.getInt(4)) << 32 | Integer.toUnsignedLong(body.getInt(8));
        long kept = Integer.toUnsignedLong(body.getInt(12));
        return frame(body, 20, index, source(index).nanos(ticks), kept, Integer.toUnsignedLong(body.getInt(16)));
    }

    private CapturedFrame simple(ByteBuffer body) throws CaptureFormatException {
        if (body.capacity() < 4) {
            throw bad("a packet that is cut off");
        }
        long original = Integer.toUnsignedLong(body.getInt(0));
        long kept = Math.min(Math.min(original, source(0).snapBytes), body.capacity() - 4);
        return frame(body, 4, 0, CapturedFrame.NO_TIME, kept, original);
    }

    private Source source(int index) throws CaptureFormatException {
        if (index < 0 || index >= sources.size()) {
            throw bad("a packet of interface " + Integer.toUnsignedString(index) + ", which is not described");
        }
        Source source = sources.get(index);
        if (!source.ethernet) {
            throw bad("a packet of an interface that is not Ethernet");
        }
        return source;
    }

    private CapturedFrame frame(ByteBuffer body, int at, int index, long nanos, long kept, long original)
            throws CaptureFormatException {
        if (kept > body.capacity() - at || kept > MAX_FRAME_BYTES || original > Integer.MAX_VALUE) {
            throw bad("a packet of " + kept + " of " + original + " bytes in a block of " + body.capacity()
                    + "; the file is damaged");
        }
        byte[] data = new byte[(int) kept];
        body.get(at, data);
        return new CapturedFrame(nanos, index, (int) Math.max(kept, original), data);
    }
}
