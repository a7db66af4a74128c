package dev.bascule.nic;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes Ethernet frames with nanosecond times to a pcapng file with one interface, straight from the memory they lie in.
 * Allocates nothing per frame.
 * <p>
 * Thread rule: one thread. Source: draft-ietf-opsawg-pcapng (section header, interface description with if_tsresol 9,
 * enhanced packet blocks).
 */
public final class PcapngWriter implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int LONGEST_FRAME = 1 << 16;
    private static final int SECTION_HEADER = 0x0A0D0D0A;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER = 0x1A2B3C4D;
    private static final int ETHERNET = 1;
    private static final int TIME_RESOLUTION = 9;
    /** Bytes of an enhanced packet block besides the frame. */
    private static final int PACKET_OVERHEAD = 32;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final MemorySegment target = MemorySegment.ofBuffer(buffer.duplicate().clear());

    private PcapngWriter(FileChannel channel) {
        this.channel = channel;
    }

    /** Starts a new file in place of one that may be there. */
    public static PcapngWriter create(Path file) throws IOException {
        PcapngWriter writer = new PcapngWriter(FileChannel.open(file, StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE));
        writer.buffer.putInt(SECTION_HEADER).putInt(28).putInt(BYTE_ORDER).putShort((short) 1).putShort((short) 0)
                .putLong(-1).putInt(28);
        writer.buffer.putInt(INTERFACE_DESCRIPTION).putInt(32).putShort((short) ETHERNET).putShort((short) 0)
                .putInt(LONGEST_FRAME).putShort((short) TIME_RESOLUTION).putShort((short) 1).putInt(TIME_RESOLUTION)
                .putInt(0).putInt(32);
        return writer;
    }

    /**
     * Starts a frame.
     *
     * @param nanos since 1970
     * @param lengthBytes of the whole frame, up to 65536; {@link #append} then gives its bytes
     */
    public void begin(long nanos, int lengthBytes) throws IOException {
        if (lengthBytes < 0 || lengthBytes > LONGEST_FRAME) {
            throw new IllegalArgumentException("a frame of " + lengthBytes + " bytes");
        }
        if (buffer.remaining() < PACKET_OVERHEAD + lengthBytes + 3) {
            flush();
        }
        int blockBytes = PACKET_OVERHEAD + (lengthBytes + 3 & ~3);
        buffer.putInt(ENHANCED_PACKET).putInt(blockBytes).putInt(0).putInt((int) (nanos >>> 32)).putInt((int) nanos)
                .putInt(lengthBytes).putInt(lengthBytes);
    }

    /** The next bytes of the frame; all together as many as announced. */
    public void append(MemorySegment memory, long offset, int lengthBytes) {
        MemorySegment.copy(memory, offset, target, buffer.position(), lengthBytes);
        buffer.position(buffer.position() + lengthBytes);
    }

    /** Ends a frame of so many bytes. */
    public void end(int lengthBytes) {
        for (int i = lengthBytes; (i & 3) != 0; i++) {
            buffer.put((byte) 0);
        }
        buffer.putInt(PACKET_OVERHEAD + (lengthBytes + 3 & ~3));
    }

    /** Makes what was written readable by others. */
    public void flush() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            try (channel) {
                flush();
            }
        }
    }
}
