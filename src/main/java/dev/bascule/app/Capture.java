package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** Writes every packet to a pcap file with nanosecond times, and drops it. Errors of the file end the capture. */
public final class Capture implements PacketProcessor, AutoCloseable {
    private static final int MAGIC_NANOS = 0xA1B23C4D;
    private static final int SNAP_BYTES = 65_535;
    private static final int ETHERNET = 1;
    private static final int BILLION = 1_000_000_000;

    private final OutputStream out;
    private final LongSupplier nanosSinceEpoch;
    private final ByteBuffer header = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    private final byte[] bytes = new byte[SNAP_BYTES];
    private long packets;

    /** Opens the file, replacing what is there. */
    public Capture(Path file, LongSupplier nanosSinceEpoch) throws IOException {
        this.nanosSinceEpoch = nanosSinceEpoch;
        out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
        ByteBuffer head = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(MAGIC_NANOS).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(SNAP_BYTES)
                .putInt(ETHERNET);
        out.write(head.array());
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        long now = nanosSinceEpoch.getAsLong();
        int kept = Math.min(lengthBytes, SNAP_BYTES);
        header.clear().putInt((int) (now / BILLION)).putInt((int) (now % BILLION)).putInt(kept).putInt(lengthBytes);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, kept);
        try {
            out.write(header.array());
            out.write(bytes, 0, kept);
        } catch (IOException e) {
            throw new UncheckedIOException("capture: " + e.getMessage(), e);
        }
        packets++;
        return 0;
    }

    /** Packets written. */
    public long packets() {
        return packets;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
