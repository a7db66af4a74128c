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

    /** Bits of a packet's flags for faults of the line: everything from a wrong check sequence to a symbol error. */
    private static final int FAULTS = 0xff00_0000;
    private static final int FCS_SHIFT = 5;
    private static final int FCS_MASK = 0xf;
    private static final int BITS_OF_FCS = 8 * FCS_BYTES;

    private record Source(boolean ethernet, long snapBytes, Ticks ticks, int fcsBytes) {}

    private final List<Source> sources = new ArrayList<>();

    PcapngReader(InputStream in, String file) throws IOException {
        super(in, file);
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
                case ENHANCED_PACKET -> frame = packet(body, body.capacity() < 4 ? 0 : body.getInt(0));
                case PACKET ->
                    frame = packet(body, body.capacity() < 4 ? 0 : Short.toUnsignedInt(body.getShort(0)));
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
        ByteBuffer version = bytes(4, "the header of a section");
        int major = version.getShort(0);
        int minor = version.getShort(2);
        if (major != 1 || minor != 0 && minor != 2) {
            throw bad("version " + major + "." + minor + " of pcapng; known are 1.0 and 1.2");
        }
        skip(length - 16L, "the header of a section");
        sources.clear();
    }

    private void describe(ByteBuffer body) throws CaptureFormatException {
        if (body.capacity() < 8 || sources.size() >= MAX_INTERFACES) {
            throw bad("an interface that is cut off, or one too many");
        }
        Ticks ticks = Ticks.MICROS;
        int fcsBytes = 0;
        for (Option option : options(body, 8)) {
            ByteBuffer value = option.value;
            if (option.code == OPTION_RESOLUTION && value.capacity() >= 1) {
                ticks = ticks.withResolution(value.get(0));
            } else if (option.code == OPTION_OFFSET && value.capacity() >= 8) {
                ticks = ticks.withOffset(value.getLong(0));
            } else if (option.code == OPTION_FCS && value.capacity() >= 1) {
                // bits by the text of the format, bytes by its example and by all programs
                int length = Byte.toUnsignedInt(value.get(0));
                fcsBytes = fcs(length == BITS_OF_FCS ? FCS_BYTES : length);
            }
        }
        int snap = body.getInt(4);
        sources.add(new Source(Short.toUnsignedInt(body.getShort(0)) == ETHERNET,
                snap == 0 ? MAX_FRAME_BYTES : Integer.toUnsignedLong(snap), ticks, fcsBytes));
    }

    private record Option(int code, ByteBuffer value) {}

    /** The options from a place in a block to its end, or to the one that ends them. */
    private static List<Option> options(ByteBuffer body, int from) {
        List<Option> found = new ArrayList<>();
        for (int at = from; at + 4 <= body.capacity();) {
            int code = Short.toUnsignedInt(body.getShort(at));
            int bytes = Short.toUnsignedInt(body.getShort(at + 2));
            if (code == 0 || at + 4 + bytes > body.capacity()) {
                break;
            }
            found.add(new Option(code, body.slice(at + 4, bytes).order(body.order())));
            at += 4 + (bytes + 3 & ~3);
        }
        return found;
    }

    /** A packet of the present form or of the obsolete one, which differ in how they name the interface. */
    private CapturedFrame packet(ByteBuffer body, int index) throws CaptureFormatException {
        if (body.capacity() < 20) {
            throw bad("a packet that is cut off");
        }
        Source source = source(index);
        long kept = Integer.toUnsignedLong(body.getInt(12));
        int flags = 0;
        if (kept <= body.capacity() - 20) {
            for (Option option : options(body, 20 + ((int) kept + 3 & ~3))) {
                if (option.code == OPTION_FLAGS && option.value.capacity() >= 4) {
                    flags = option.value.getInt(0);
                }
            }
        }
        int ownFcs = fcs(flags >>> FCS_SHIFT & FCS_MASK);
        long nanos = nanos(source.ticks,
                Integer.toUnsignedLong(body.getInt(4)) << 32 | Integer.toUnsignedLong(body.getInt(8)));
        return frame(body.position(20), nanos, index, kept, Integer.toUnsignedLong(body.getInt(16)),
                ownFcs == 0 ? source.fcsBytes : ownFcs, (flags & FAULTS) != 0);
    }

    private long nanos(Ticks ticks, long count) throws CaptureFormatException {
        try {
            return ticks.nanos(count);
        } catch (ArithmeticException e) {
            throw bad("a time before 1677 or after 2262: " + Long.toUnsignedString(count) + " times " + ticks.base()
                    + "^-" + ticks.exponent() + " s from " + ticks.offsetSeconds() + " s on");
        }
    }

    private CapturedFrame simple(ByteBuffer body) throws CaptureFormatException {
        if (body.capacity() < 4) {
            throw bad("a packet that is cut off");
        }
        long original = Integer.toUnsignedLong(body.getInt(0));
        long kept = Math.min(Math.min(original, source(0).snapBytes), body.capacity() - 4);
        return frame(body.position(4), CapturedFrame.NO_TIME, 0, kept, original, source(0).fcsBytes, false);
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
}
