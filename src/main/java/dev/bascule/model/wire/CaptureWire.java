package dev.bascule.model.wire;

import dev.bascule.model.WireEnd;
import dev.bascule.ring.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Capture files for a cable: the frames of one file arrive at their recorded pace once {@link #start} is called; frames
 * that leave go to another file with the time at which they left.
 * <p>
 * Thread rule: {@code transmit} and {@code poll} from the thread of the port's device; {@code start}, {@code flush} and
 * {@code close} from any.
 */
public final class CaptureWire implements WireEnd {
    private final @Nullable CaptureReader reader;
    private final @Nullable CaptureWriter writer;
    private final Clock clock;
    private final long epochNanos;
    private volatile long startNanos;
    private volatile boolean started;
    private volatile @Nullable IOException failure;
    private @Nullable CapturedFrame next;
    private long firstNanos = CapturedFrame.NO_TIME;
    private final boolean lossless;
    private long delivered;
    private long leftOut;
    private long read;
    private long announced;
    private boolean closed;

    private CaptureWire(@Nullable CaptureReader reader, @Nullable CaptureWriter writer, Clock clock,
            boolean lossless) {
        this.lossless = lossless;
        this.reader = reader;
        this.writer = writer;
        this.clock = clock;
        this.epochNanos = System.currentTimeMillis() * 1_000_000 - clock.nanoTime();
    }

    /**
     * A wire of files.
     *
     * @param in file whose frames arrive; null for none
     * @param out file for frames that leave, see {@link CaptureWriter}; null to drop them
     * @param clock paces the frames that arrive and stamps those that leave
     * @throws IOException when a file cannot be opened, or the first frame of {@code in} cannot be read
     */
    public static CaptureWire open(@Nullable Path in, @Nullable Path out, Clock clock) throws IOException {
        return open(in, out, clock, true);
    }

    /**
     * As above.
     *
     * @param lossless a frame and those behind it wait until the device has room; otherwise it arrives when it is due
     *         and is lost if there is no room, as on a cable
     */
    public static CaptureWire open(@Nullable Path in, @Nullable Path out, Clock clock, boolean lossless)
            throws IOException {
        CaptureReader reader = in == null ? null : CaptureReader.open(in);
        try {
            CaptureWriter writer = out == null ? null : CaptureWriter.create(out, List.of("port"));
            CaptureWire wire = new CaptureWire(reader, writer, clock, lossless);
            wire.advance();
            if (wire.failure != null) {
                wire.close();
                throw wire.failure;
            }
            return wire;
        } catch (IOException | RuntimeException e) {
            if (reader != null) {
                reader.close();
            }
            throw e;
        }
    }

    /** Lets frames arrive from now on; later calls change nothing. */
    public synchronized void start() {
        if (!started) {
            startNanos = clock.nanoTime();
            started = true;
        }
    }

    /** The error of a file, after which nothing more arrives or leaves; null if there was none. */
    public @Nullable IOException failure() {
        return failure;
    }

    @Override
    public synchronized boolean transmit(byte[] data, int offset, int lengthBytes) {
        if (writer == null || closed) {
            return true;
        }
        try {
            writer.write(epochNanos + clock.nanoTime(), 0, data, offset, lengthBytes);
            return true;
        } catch (IOException e) {
            failure = e;
            return false;
        }
    }

    @Override
    public synchronized int poll(FrameSink sink, int budget) {
        int count = 0;
        CapturedFrame frame = next;
        while (frame != null && started && !closed && count < budget && isDue(frame)) {
            if (!lossless) {
                sink.frame(frame.data(), 0, frame.data().length);
            } else if (!sink.offer(frame.data(), 0, frame.data().length)) {
                break;
            }
            delivered++;
            count++;
            advance();
            frame = next;
        }
        return count;
    }

    private boolean isDue(CapturedFrame frame) {
        return frame.timestampNanos() == CapturedFrame.NO_TIME
                || frame.timestampNanos() - firstNanos <= clock.nanoTime() - startNanos;
    }

    private void advance() {
        try {
            next = reader == null ? null : whole(reader);
            if (next != null && firstNanos == CapturedFrame.NO_TIME) {
                firstNanos = next.timestampNanos();
            }
        } catch (IOException e) {
            next = null;
            failure = e;
        }
    }

    /** The next frame that can arrive as it was. */
    private @Nullable CapturedFrame whole(CaptureReader from) throws IOException {
        CapturedFrame frame = from.next();
        for (read++; frame != null && (frame.isCut() || frame.isDamaged()); read++) {
            leftOut++;
            frame = from.next();
        }
        return frame;
    }

    /** Frames left out so far: those that the file holds only in part, or says that they were damaged. */
    public synchronized long leftOut() {
        return leftOut;
    }

    /**
     * A frame that is not due for long.
     *
     * @param frame number in the file, from 1
     * @param nanos until it is due
     */
    public record Wait(long frame, long nanos) {}

    /** A wait of at least {@code leastNanos} that has begun and was not told yet; null if there is none. */
    public synchronized @Nullable Wait longWait(long leastNanos) {
        CapturedFrame frame = next;
        if (frame == null || !started || closed || announced == read
                || frame.timestampNanos() == CapturedFrame.NO_TIME) {
            return null;
        }
        long left = frame.timestampNanos() - firstNanos - (clock.nanoTime() - startNanos);
        if (left < leastNanos) {
            return null;
        }
        announced = read;
        return new Wait(read, left);
    }

    /** Frames that arrived so far. */
    public synchronized long delivered() {
        return delivered;
    }

    /** Whether all frames of its file have arrived; also true without a file. */
    public synchronized boolean isAtEnd() {
        return next == null;
    }

    /** Makes the frames that have left so far readable by others. */
    public synchronized void flush() throws IOException {
        if (writer != null && !closed) {
            writer.flush();
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (reader != null) {
                reader.close();
            }
            if (writer != null) {
                writer.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }
}
