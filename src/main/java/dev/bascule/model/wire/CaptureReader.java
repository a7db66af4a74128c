package dev.bascule.model.wire;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Reads Ethernet frames from a pcap or pcapng file of either byte order and any dialect, gzipped or not, with time stamps
 * to the nanosecond (finer ones are rounded down). A frame check sequence that a file says it holds is taken off. What is
 * cut off, damaged or foreign is a {@link CaptureFormatException} naming the byte (of the unpacked file).
 * <p>
 * Thread rule: one thread at a time. Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng; the dialects of pcap that
 * Red Hat 6.1, SuSE 6.3, Nokia and Ixia wrote, by files that editcap makes of them.
 */
public abstract sealed class CaptureReader implements AutoCloseable permits PcapReader, PcapngReader {
    /** The longest frame a file may have. */
    public static final int MAX_FRAME_BYTES = 1 << 18;
    static final int ETHERNET = 1;
    private static final Path STANDARD_INPUT = Path.of("-");
    private static final int BUFFER_BYTES = 1 << 16;

    static final int PCAP_NANOS = 0xa1b23c4d;
    private static final int GZIP = 0x8b1f;
    private static final int ZSTD = 0xfd2fb528;
    private static final int LZ4 = 0x184d2204;
    /** Types of blocks of pcapng; that of a section is the file's magic number. */
    static final int SECTION = 0x0a0d0d0a;
    static final int INTERFACE = 1;
    /** The obsolete form, which old versions of Wireshark wrote. */
    static final int PACKET = 2;
    static final int SIMPLE_PACKET = 3;
    static final int ENHANCED_PACKET = 6;
    static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
    /** Options of an interface of pcapng. */
    static final int OPTION_NAME = 2;
    static final int OPTION_RESOLUTION = 9;
    static final int OPTION_FCS = 13;
    static final int OPTION_OFFSET = 14;
    /** Option of a packet of pcapng. */
    static final int OPTION_FLAGS = 2;
    /** Bytes of the frame check sequence of Ethernet. */
    static final int FCS_BYTES = 4;
    static final long NANOS = 1_000_000_000L;

    private final InputStream in;
    private final String file;
    private long offset;
    private ByteOrder order = ByteOrder.LITTLE_ENDIAN;

    CaptureReader(InputStream in, String file) {
        this.in = in;
        this.file = file;
    }

    /** Opens a file of either format; {@code -} is standard input. */
    public static CaptureReader open(Path file) throws IOException {
        if (file.equals(STANDARD_INPUT)) {
            return of(new FileInputStream(FileDescriptor.in), "standard input");
        }
        try {
            return of(Files.newInputStream(file), file.toString());
        } catch (CaptureFormatException e) {
            throw e;
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) { // from read(2): its message is the errno's alone
            throw new FileSystemException(file.toString(), null, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Reads a stream, such as standard input.
     *
     * @param source closed with the reader, and when it is refused
     * @param name of it, for messages
     */
    public static CaptureReader of(InputStream source, String name) throws IOException {
        try {
            InputStream in = unpacked(new BufferedInputStream(source, BUFFER_BYTES), name);
            int number = peek(in, name);
            if (number == SECTION) {
                return new PcapngReader(in, name);
            }
            for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
                PcapDialect dialect = PcapDialect.of(order == ByteOrder.LITTLE_ENDIAN
                        ? number
                        : Integer.reverseBytes(number));
                if (dialect != null) {
                    return new PcapReader(in, name, order, dialect);
                }
            }
            throw new CaptureFormatException(name, 0,
                    "no capture file: it begins with 0x%08x; pcap and pcapng can be read"
                            .formatted(Integer.reverseBytes(number)));
        } catch (IOException | RuntimeException e) {
            source.close();
            throw e;
        }
    }

    private static InputStream unpacked(InputStream in, String name) throws IOException {
        int number = peek(in, name);
        if (number == ZSTD || number == LZ4) {
            String tool = number == ZSTD ? "zstd" : "lz4";
            throw new CaptureFormatException(name, 0, "it is packed by " + tool + ", which is not read here: " + tool
                    + " -dc " + name + " >FILE");
        }
        return (number & 0xffff) == GZIP ? new BufferedInputStream(new GZIPInputStream(in), BUFFER_BYTES) : in;
    }

    /** The first four bytes, which stay. */
    private static int peek(InputStream in, String name) throws IOException {
        in.mark(4);
        byte[] magic = in.readNBytes(4);
        in.reset();
        if (magic.length < 4) {
            throw new CaptureFormatException(name, magic.length,
                    "too short for a capture file; pcap and pcapng can be read");
        }
        return ByteBuffer.wrap(magic).order(ByteOrder.LITTLE_ENDIAN).getInt();
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
        byte[] bytes = read(count);
        offset += bytes.length;
        if (bytes.length < count) {
            throw new CaptureFormatException(file, offset,
                    "the file is cut off in " + what + ": " + (count - bytes.length) + " bytes are missing");
        }
        return ByteBuffer.wrap(bytes).order(order);
    }

    private byte[] read(int count) throws IOException {
        try {
            return in.readNBytes(count);
        } catch (ZipException | EOFException e) {
            throw bad("what gzip packed is damaged or cut off: " + e.getMessage());
        }
    }

    /** The bytes ahead, up to {@code most}, which stay. */
    final ByteBuffer ahead(int most) throws IOException {
        in.mark(most);
        ByteBuffer bytes = ByteBuffer.wrap(read(most)).order(order);
        in.reset();
        return bytes;
    }

    /** As {@link #bytes}, or null at the end of the file. */
    final @Nullable ByteBuffer bytesOrEnd(int count, String what) throws IOException {
        return ahead(1).hasRemaining() ? bytes(count, what) : null;
    }

    final void skip(long count, String what) throws IOException {
        for (long left = count; left > 0;) {
            left -= bytes((int) Math.min(left, BUFFER_BYTES), what).capacity();
        }
    }

    /**
     * A frame out of what a record says of it.
     *
     * @param kept bytes of {@code data} from its position on
     * @param fcsBytes how many of the frame's last bytes are no part of it
     */
    final CapturedFrame frame(ByteBuffer data, long nanos, int index, long kept, long original, int fcsBytes,
            boolean damaged) throws CaptureFormatException {
        if (kept > data.remaining() || kept > MAX_FRAME_BYTES || original > Integer.MAX_VALUE) {
            throw bad("a frame of " + kept + " of " + original + " bytes, " + data.remaining()
                    + " of them in the file; it is damaged");
        }
        int whole = (int) Math.max(0, Math.max(kept, original) - fcsBytes);
        byte[] bytes = new byte[(int) Math.min(kept, whole)];
        data.get(bytes);
        return new CapturedFrame(nanos, index, whole, bytes, damaged);
    }

    /** How long the frame check sequences are that a file says it holds; refused unless Ethernet's. */
    final int fcs(int bytes) throws CaptureFormatException {
        if (bytes != 0 && bytes != FCS_BYTES) {
            throw bad("frames with a check sequence of " + bytes + " bytes; that of Ethernet has " + FCS_BYTES);
        }
        return bytes;
    }

    final CaptureFormatException bad(String problem) {
        return new CaptureFormatException(file, offset, problem);
    }
}
