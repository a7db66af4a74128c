package dev.bascule.model.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The classic format: one header, then records of time, lengths and data. */
final class PcapReader extends CaptureReader {
    private final int unitNanos;

    PcapReader(InputStream in, String file, ByteOrder order, boolean nanos) throws IOException {
        super(in, file, 4);
        order(order);
        unitNanos = nanos ? 1 : 1000;
        ByteBuffer header = bytes(20, "its header");
        int major = header.getShort(0);
        int linkType = header.getInt(16) & 0xffff;
        if (major != 2) {
            throw bad("version " + major + "." + header.getShort(2) + " of pcap; known is 2.4");
        }
        if (linkType != ETHERNET) {
            throw bad("link type " + linkType + "; only Ethernet (1) can be used");
        }
    }

    @Override
    public @Nullable CapturedFrame next() throws IOException {
        ByteBuffer header = bytesOrEnd(16, "the header of a frame");
        if (header == null) {
            return null;
        }
        long seconds = Integer.toUnsignedLong(header.getInt(0));
        long fraction = Integer.toUnsignedLong(header.getInt(4)) * unitNanos;
        long kept = Integer.toUnsignedLong(header.getInt(8));
        long original = Integer.toUnsignedLong(header.getInt(12));
        if (kept > MAX_FRAME_BYTES || original > Integer.MAX_VALUE || fraction >= NANOS) {
            throw bad("a frame of " + kept + " of " + original + " bytes, " + fraction
                    + " ns after the second; the file is damaged");
        }
        byte[] data = bytes((int) kept, "a frame").array();
        return new CapturedFrame(seconds * NANOS + fraction, 0, (int) Math.max(kept, original), data);
    }
}
