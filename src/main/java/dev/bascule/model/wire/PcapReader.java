package dev.bascule.model.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The classic format: one header, then records of time, lengths and data. */
final class PcapReader extends CaptureReader {
    private static final int MINOR = 4;
    /** Before this one, the two lengths of a record change places; in it, they may. */
    private static final int MINOR_OF_THE_SWAP = 3;
    private static final int ETHERNET_OF_AIX = 6;
    private static final int HAS_FCS = 1 << 26;
    private static final int FCS_SHIFT = 28;

    private final int unitNanos;
    private final int recordBytes;
    private final int minor;
    private final int fcsBytes;

    PcapReader(InputStream in, String file, ByteOrder order, PcapDialect dialect) throws IOException {
        super(in, file);
        order(order);
        ByteBuffer header = bytes(24 + dialect.extraBytes(), "its header");
        int major = header.getShort(4);
        minor = header.getShort(6);
        if (major != 2 || minor < 0 || minor > MINOR) {
            throw bad("version " + major + "." + minor + " of pcap; known are 2.0 to 2.4");
        }
        int network = header.getInt(20);
        // AIX: types of interfaces as in RFC 1573, and nanoseconds
        boolean aix = minor == 2 && network == ETHERNET_OF_AIX && dialect.headerBytes().size() == 3;
        unitNanos = aix ? 1 : dialect.unitNanos();
        if ((network & 0xffff) != ETHERNET && !aix) {
            throw bad("link type " + (network & 0xffff) + "; only Ethernet (1) can be used");
        }
        // in words of 16 bits
        fcsBytes = fcs((network & HAS_FCS) == 0 ? 0 : 2 * (network >>> FCS_SHIFT));
        recordBytes = aix ? PcapDialect.USUAL_HEADER_BYTES : dialect.headerBytesOf(ahead(dialect.lookBytes()));
    }

    @Override
    public @Nullable CapturedFrame next() throws IOException {
        ByteBuffer header = bytesOrEnd(recordBytes, "the header of a frame");
        if (header == null) {
            return null;
        }
        long seconds = Integer.toUnsignedLong(header.getInt(0));
        long fraction = Integer.toUnsignedLong(header.getInt(4)) * unitNanos;
        long kept = Integer.toUnsignedLong(header.getInt(8));
        long original = Integer.toUnsignedLong(header.getInt(12));
        if (minor < MINOR_OF_THE_SWAP || minor == MINOR_OF_THE_SWAP && kept > original) {
            long first = kept;
            kept = original;
            original = first;
        }
        if (kept > MAX_FRAME_BYTES || fraction >= NANOS) {
            throw bad("a frame of " + kept + " of " + original + " bytes, " + fraction
                    + " ns after the second; the file is damaged");
        }
        return frame(bytes((int) kept, "a frame"), seconds * NANOS + fraction, 0, kept, original, fcsBytes, false);
    }
}
