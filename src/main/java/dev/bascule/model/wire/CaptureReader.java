package dev.bascule.model.wire;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads Ethernet frames from a pcap or pcapng file of either byte order, with time stamps to the nanosecond. What is cut
 * off, damaged or foreign is a {@link CaptureFormatException} naming the byte.
 * <p>
 * Thread rule: one thread at a time. Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
 */
public abstract sealed class CaptureReader implements AutoCloseable permits PcapReader, PcapngReader {
    /** The longest frame a file may have. */
    public static final int MAX_FRAME_BYTES = 1 << 18;
    static final int ETHERNET = 1;

    static final int PCAP_MICROS = 0xa1b2c3d4;
    static final int PCAP_NANOS = 0xa1b23c4d;
    /** Types of blocks of pcapng; that of a section is the file's magic number. */
    static final int SECTION = 0x0a0d0d0a;
    static final int INTERFACE = 1;
    static final int SIMPLE_PACKET = 3;
    static final int ENHANCED_PACKET = 6;
    static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
    /** Options of an interface of pcapng. */
    static final int OPTION_NAME = 2;
    static final int OPTION_RESOLUTION = 9;
    static final int OPTION_OFFSET = 14;
    static final long NANOS = 1_000_000_000L;

    private final InputStream in;
    private final String file;
    private long offset;
    private ByteOrder order = ByteOrder.LITTLE_ENDIAN;

    CaptureReader(InputStream in, String file, long offset) {
        this.in = in;
        this.file = file;
        this.offset = offset;
    }

    /** Opens a file of either format. */
    public static CaptureReader open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        try {
            byte[] magic = in.readNBytes(4);
            if (magic.length < 4) {
                throw new CaptureFormatException(file.toString(), magic.length,
                        "too short for a capture file; pcap and pcapng can be read");
            }
            int number = ByteBuffer.wrap(magic).order(ByteOrder.LITTLE_ENDIAN).getInt();
            int swapped = Integer.reverseBytes(number);
            if (number == SECTION) {
                return new PcapngReader(in, file.toString());
            }
            if (number == PCAP_MICROS || number == PCAP_NANOS) {
                return new PcapReader(in, file.toString(), ByteOrder.LITTLE_ENDIAN, number == PCAP_NANOS);
            }
            if (swapped == PCAP_MICROS || swapped == PCAP_NANOS) {
                return new PcapReader(in, file.toString(), ByteOrder.BIG_ENDIAN, swapped == PCAP_NANOS);
            }
            throw new CaptureFormatException(file.toString(), 0,
                    "no capture file: it begins with 0x%08x; pcap and pcapng can be read".formatted(swapped));
        } catch (CaptureFormatException e) {
            in.close();
            throw e;
        } catch (IOException e) { // from read(2): its message is the errno's alone
            in.close();
            throw new FileSystemException(file.toString(), null, String.valueOf(e.getMessage()));
        }
    }

    /** The next frame, or null after the last. */
    public abstract @Nullable CapturedFrame next() throws IOException;

    @Override
    public final void close() throws IOException {
        in.close();
    }

    final void order(ByteOrder found) {
        order = found;
    }

    /** Bytes that must be there. */
    final ByteBuffer bytes(int count, String what) throws IOException {
        byte[] bytes = in.readNBytes(count);
        offset += bytes.length;
        if (bytes.length < count) {
            throw new CaptureFormatException(file, offset,
                    "the file is cut off in " + what + ": " + (count - bytes.length) + " bytes are missing");
        }
        return ByteBuffer.wrap(bytes).order(order);
    }

    /** As {@link #bytes}, or null at the end of the file. */
    final @Nullable ByteBuffer bytesOrEnd(int count, String what) throws IOException {
        in.mark(1);
        if (in.read() < 0) {
            return null;
        }
        in.reset();
        return bytes(count, what);
    }

    final void skip(long count, String what) throws IOException {
        try {
            in.skipNBytes(count);
            offset += count;
        } catch (EOFException e) {
            throw new CaptureFormatException(file, offset, "the file is cut off in " + what);
        }
    }

    final CaptureFormatException bad(String problem) {
        return new CaptureFormatException(file, offset, problem);
    }
}
