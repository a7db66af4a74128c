package dev.bascule.app;

import dev.bascule.model.wire.CaptureReader;
import dev.bascule.model.wire.CapturedFrame;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** The frames of a capture file that can be sent again, in order, with the times at which they were recorded. */
public final class CaptureFrames {
    /** Stations and type: less is no Ethernet frame. */
    private static final int SHORTEST = 14;
    /** Heap that a frame needs besides its bytes, about. */
    private static final int OVERHEAD_BYTES = 64;

    private final List<byte[]> frames = new ArrayList<>();
    private long[] times = new long[16];
    private int cut;
    private int tooLong;
    private int tooShort;
    private int damaged;
    private int read;
    private long latestNanos = CapturedFrame.NO_TIME;
    private Gap longestGap = new Gap(0, 0);

    /**
     * Time in which nothing was recorded.
     *
     * @param frame number in the file, from 1, of the frame that ends it; 0 if there is none
     * @param nanos how long it is
     */
    public record Gap(int frame, long nanos) {}

    private CaptureFrames() {}

    /**
     * Reads a pcap or pcapng file.
     *
     * @param longestBytes longer frames are left out
     * @param mostBytes of memory
     * @throws IOException with file and byte if it is cut off, damaged, of another format or too large
     */
    public static CaptureFrames read(Path file, int longestBytes, long mostBytes) throws IOException {
        try (CaptureReader reader = CaptureReader.open(file)) {
            return read(reader, file.toString(), longestBytes, mostBytes);
        }
    }

    /** As {@link #read(Path, int, long)}, from what is open already; {@code name} is for messages. */
    public static CaptureFrames read(CaptureReader reader, String name, int longestBytes, long mostBytes)
            throws IOException {
        CaptureFrames all = new CaptureFrames();
        long bytes = 0;
        for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
            all.sort(frame, longestBytes);
            bytes += frame.data().length + OVERHEAD_BYTES;
            if (bytes > mostBytes) {
                throw new IOException(name + ": more than " + (mostBytes >> 20) + " MiB of frames; send a part of"
                        + " it (editcap -r), or give the JVM a larger heap");
            }
        }
        return all;
    }

    private void sort(CapturedFrame frame, int longestBytes) {
        read++;
        if (frame.isDamaged()) {
            damaged++;
        } else if (frame.isCut()) {
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
            times[i] = frame.timestampNanos();
            measure(times[i]);
            frames.add(frame.data());
        }
    }

    private void measure(long nanos) {
        if (nanos == CapturedFrame.NO_TIME) {
            return;
        }
        if (latestNanos != CapturedFrame.NO_TIME && nanos - latestNanos > longestGap.nanos) {
            longestGap = new Gap(read, nanos - latestNanos);
        }
        latestNanos = Math.max(latestNanos, nanos);
    }

    /** The longest time between two of the frames that can be sent. */
    public Gap longestGap() {
        return longestGap;
    }

    /** Frames without some of these; each of the others keeps its time. */
    public CaptureFrames without(Predicate<byte[]> some) {
        CaptureFrames rest = new CaptureFrames();
        rest.times = new long[times.length];
        for (int i = 0; i < frames.size(); i++) {
            if (!some.test(frames.get(i))) {
                rest.times[rest.frames.size()] = times[i];
                rest.frames.add(frames.get(i));
            }
        }
        rest.cut = cut;
        rest.tooLong = tooLong;
        rest.tooShort = tooShort;
        rest.damaged = damaged;
        rest.longestGap = longestGap;
        return rest;
    }

    /** Those that can be sent. */
    public List<byte[]> frames() {
        return List.copyOf(frames);
    }

    /**
     * The pace at which they were recorded; {@link IllegalArgumentException} if there is none. A frame without a time
     * goes with the one before it, the first ones with the first that has a time.
     */
    public Pace pace(double speed) {
        long[] known = Arrays.copyOf(times, frames.size());
        long last = Arrays.stream(known).filter(time -> time != CapturedFrame.NO_TIME).findFirst().orElse(0);
        for (int i = 0; i < known.length; i++) {
            known[i] = known[i] == CapturedFrame.NO_TIME ? last : known[i];
            last = known[i];
        }
        return Pace.recorded(known, speed);
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

    /** Frames that arrived damaged, as the file says. */
    public int damaged() {
        return damaged;
    }

    /** Frames left out, for whatever reason. */
    public int leftOut() {
        return cut + tooLong + tooShort + damaged;
    }
}
