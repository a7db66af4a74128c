package dev.bascule.app;

import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.ring.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes every packet to a capture file, see {@link CaptureWriter}, and drops it: {@link Recorder} as a processor. Errors
 * of the file end the capture.
 */
public final class Capture implements PacketProcessor, AutoCloseable {
    private final CaptureWriter writer;
    private final Clock wallClock;
    private long packets;

    /**
     * Opens the file, replacing what is there.
     *
     * @param wallClock nanoseconds since 1970, the time written with each packet
     */
    public Capture(Path file, Clock wallClock) throws IOException {
        this.wallClock = wallClock;
        this.writer = CaptureWriter.create(file, List.of("port"));
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        try {
            writer.begin(wallClock.nanoTime(), 0, lengthBytes);
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
