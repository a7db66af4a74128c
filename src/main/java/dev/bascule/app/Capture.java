package dev.bascule.app;

import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.nic.PacketProcessor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Writes every packet to a capture file, see {@link CaptureWriter}, and drops it: {@link Recorder} as a processor. Errors
 * of the file end the capture.
 */
public final class Capture implements PacketProcessor, AutoCloseable {
    private final CaptureWriter writer;
    private final LongSupplier nanosSinceEpoch;
    private long packets;

    /** Opens the file, replacing what is there. */
    public Capture(Path file, LongSupplier nanosSinceEpoch) throws IOException {
        this.nanosSinceEpoch = nanosSinceEpoch;
        this.writer = CaptureWriter.create(file, List.of("port"));
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        try {
            writer.begin(nanosSinceEpoch.getAsLong(), 0, lengthBytes);
        } catch (IOException e) {
            throw new UncheckedIOException("capture: " + e.getMessage(), e);
        }
        writer.append(memory, offset, lengthBytes);
        writer.end();
        packets++;
        return 0;
    }

    /** Packets written. */
    public long packets() {
        return packets;
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
