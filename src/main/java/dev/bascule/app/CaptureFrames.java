package dev.bascule.app;

import dev.bascule.model.wire.CaptureReader;
import dev.bascule.model.wire.CapturedFrame;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The frames of a capture file that can be sent again, in order, with the times at which they were recorded. */
public final class CaptureFrames {
    /** Stations and type: less is no Ethernet frame. */
    private static final int SHORTEST = 14;
    /** What the heap needs for a frame besides its bytes, about. */
    private static final int OVERHEAD_BYTES = 64;

    private final List<byte[]> frames = new ArrayList<>();
    private long[] times = new long[16];
    private int cut;
    private int tooLong;
    private int tooShort;

    private CaptureFrames() {}

    /**
     * Reads a pcap or pcapng file.
     *
     * @param longestBytes longer frames are left out
     * @param mostBytes of memory
     * @throws IOException with file and byte if it is cut off, damaged, of another format or too large
     */
    public static CaptureFrames read(Path file, int longestBytes, long mostBytes) throws IOException {
        CaptureFrames all = new CaptureFrames();
        long bytes = 0;
        try (CaptureReader reader = CaptureReader.open(file)) {
            for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
                all.sort(frame, longestBytes);
                bytes += frame.data().length + OVERHEAD_BYTES;
                if (bytes > mostBytes) {
                    throw new IOException(file + ": more than " + (mostBytes >> 20) + " MiB of frames; send a part of"
                            + " it (editcap -r), or give the JVM a larger heap");
                }
            }
        }
        return all;
    }

    private void sort(CapturedFrame frame, int longestBytes) {
        if (frame.isCut()) {
            cut++;
        } else if (frame.data().length > longestBytes) {
            tooLong++;
        } else if (frame.data().length < SHORTEST) {
            tooShort++;
        } else {
            int i = frames.size();
            if (i == times.length) {
                times = Arrays.copyOf(times, 2 * i);
            }
            times[i] = frame.timestampNanos() != CapturedFrame.NO_TIME
                    ? frame.timestampNanos()
                    : i == 0 ? 0 : times[i - 1];
            frames.add(frame.data());
        }
    }

    /** Those that can be sent. */
    public List<byte[]> frames() {
        return List.copyOf(frames);
    }

    /** The pace at which they were recorded; {@link IllegalArgumentException} if there is none. */
    public Pace pace(double speed) {
        return Pace.recorded(Arrays.copyOf(times, frames.size()), speed);
    }

    /** Frames that the file holds only in part. */
    public int cut() {
        return cut;
    }

    /** Frames that were too long. */
    public int tooLong() {
        return tooLong;
    }

    /** Frames too short for Ethernet. */
    public int tooShort() {
        return tooShort;
    }

    /** Frames left out, for whatever reason. */
    public int leftOut() {
        return cut + tooLong + tooShort;
    }
}
