package dev.bascule.model.wire;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;

/**
 * Writes Ethernet frames to a capture file with nanosecond time stamps: pcapng, or pcap when the name ends in
 * {@code .pcap}. Allocates nothing per frame. {@link #flush} makes what was written readable by others.
 * <p>
 * Thread rule: one thread at a time.
 */
public final class CaptureWriter implements AutoCloseable {
    private static final Path STANDARD_OUTPUT = Path.of("-");
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int SNAP_BYTES = 1 << 17;
    /** Bytes of a record around its frame, padding included. */
    private static final int MOST_AROUND_A_FRAME = 35;

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final MemorySegment target = MemorySegment.ofBuffer(buffer.duplicate().clear());
    private final boolean classic;
    private final int interfaces;
    private int frameBytes;
    private int frameEnd;
    private long frames;
    private long keptFrames;
    private long keptBytes;

    private CaptureWriter(Path file, FileChannel channel, boolean classic, int interfaces) {
        this.file = file;
        this.channel = channel;
        this.classic = classic;
        this.interfaces = interfaces;
    }

    /**
     * Creates a file, replacing one that exists; {@code -} is standard output.
     *
     * @param interfaces names of the interfaces that frames are seen on; pcap has only one, without a name
     */
    public static CaptureWriter create(Path file, List<String> interfaces) throws IOException {
        boolean classic = file.toString().endsWith(".pcap");
        if (interfaces.isEmpty() || classic && interfaces.size() > 1) {
            throw new IllegalArgumentException(
                    file + ": " + interfaces.size() + " interfaces; pcap has one, pcapng any number");
        }
        CaptureWriter writer = new CaptureWriter(file, channel(file), classic, interfaces.size());
        try {
            writer.header(interfaces);
            writer.flush();
        } catch (IOException e) {
            writer.channel.close();
            throw e;
        }
        return writer;
    }

    /** Whether frames written to this file go to standard output, so that nothing else may. */
    public static boolean isStandardOutput(Path file) {
        return file.equals(STANDARD_OUTPUT);
    }

    @SuppressWarnings("resource") // closed with the writer
    private static FileChannel channel(Path file) throws IOException {
        return isStandardOutput(file)
                ? new FileOutputStream(FileDescriptor.out).getChannel()
                : FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
    }

    private void header(List<String> names) throws IOException {
        if (classic) {
            buffer.putInt(CaptureReader.PCAP_NANOS).putShort((short) 2).putShort((short) 4).putLong(0)
                    .putInt(SNAP_BYTES)
                    .putInt(CaptureReader.ETHERNET);
            return;
        }
        buffer.putInt(CaptureReader.SECTION).putInt(28).putInt(CaptureReader.BYTE_ORDER_MAGIC).putShort((short) 1)
                .putShort((short) 0).putLong(-1)
                .putInt(28);
        for (String name : names) {
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            int padded = padded(text.length);
            int length = 20 + 4 + padded + 8 + 4;
            buffer.putInt(CaptureReader.INTERFACE).putInt(length).putShort((short) CaptureReader.ETHERNET)
                    .putShort((short) 0)
                    .putInt(SNAP_BYTES);
            buffer.putShort((short) CaptureReader.OPTION_NAME).putShort((short) text.length).put(text);
            pad(padded - text.length);
            buffer.putShort((short) CaptureReader.OPTION_RESOLUTION).putShort((short) 1).putInt(9).putInt(0)
                    .putInt(length);
            flush();
        }
    }

    /**
     * Appends a frame.
     *
     * @param timestampNanos nanoseconds since 1970
     * @param interfaceIndex which of the interfaces given, from 0
     */
    public void write(long timestampNanos, int interfaceIndex, byte[] data, int offset, int lengthBytes)
            throws IOException {
        begin(timestampNanos, interfaceIndex, lengthBytes);
        buffer.put(data, offset, lengthBytes);
        end();
    }

    /**
     * Starts a frame that is written piece by piece.
     *
     * @param lengthBytes of the whole frame; {@link #append} gives its bytes, {@link #end} ends it
     */
    public void begin(long timestampNanos, int interfaceIndex, int lengthBytes) throws IOException {
        if (lengthBytes < 0 || lengthBytes > SNAP_BYTES || interfaceIndex < 0 || interfaceIndex >= interfaces) {
            throw new IllegalArgumentException("a frame of " + lengthBytes + " bytes on interface " + interfaceIndex);
        }
        if (buffer.remaining() < lengthBytes + MOST_AROUND_A_FRAME) {
            flush();
        }
        frameBytes = lengthBytes;
        if (classic) {
            buffer.putInt((int) Math.floorDiv(timestampNanos, CaptureReader.NANOS))
                    .putInt((int) Math.floorMod(timestampNanos, CaptureReader.NANOS));
        } else {
            buffer.putInt(CaptureReader.ENHANCED_PACKET).putInt(32 + padded(lengthBytes)).putInt(interfaceIndex)
                    .putInt((int) (timestampNanos >>> 32)).putInt((int) timestampNanos);
        }
        buffer.putInt(lengthBytes).putInt(lengthBytes);
        frameEnd = buffer.position() + lengthBytes;
    }

    /** The next bytes of the frame, copied from the memory they lie in. */
    public void append(MemorySegment memory, long offset, int lengthBytes) {
        Objects.checkFromIndexSize(buffer.position(), lengthBytes, frameEnd);
        MemorySegment.copy(memory, offset, target, buffer.position(), lengthBytes);
        buffer.position(buffer.position() + lengthBytes);
    }

    /** Ends the frame; {@link IllegalStateException} if bytes are missing. */
    public void end() {
        if (buffer.position() != frameEnd) {
            throw new IllegalStateException("a frame was announced with " + (frameEnd - buffer.position())
                    + " bytes more than it got");
        }
        if (!classic) {
            pad(padded(frameBytes) - frameBytes);
            buffer.putInt(32 + padded(frameBytes));
        }
        frames++;
    }

    private static int padded(int lengthBytes) {
        return lengthBytes + 3 & ~3;
    }

    private void pad(int bytes) {
        for (int i = 0; i < bytes; i++) {
            buffer.put((byte) 0);
        }
    }

    /**
     * Writes everything to the file.
     *
     * @throws IOException with the file's name and how many frames are in it, if it cannot take more; it then ends with
     *         a whole frame
     */
    public void flush() throws IOException {
        buffer.flip();
        int bytes = buffer.remaining();
        try {
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        } catch (IOException e) {
            cutToWholeFrames();
            FileSystemException named = new FileSystemException(file.toString(), null, e.getMessage()
                    + "; the first " + keptFrames + " frames are kept, " + (frames - keptFrames)
                    + " or more are lost; free"
                    + " some space: df -h " + file);
            named.initCause(e);
            throw named;
        } finally {
            buffer.clear();
        }
        keptFrames = frames;
        keptBytes += bytes;
    }

    private void cutToWholeFrames() {
        try {
            channel.truncate(keptBytes);
        } catch (IOException e) {
            // no ordinary file; what reads it sees the frame that is cut
        }
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            try {
                flush();
            } finally {
                channel.close();
            }
        }
    }
}
