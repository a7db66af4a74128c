package dev.bascule.app.enso;

import dev.bascule.app.Capture;
import dev.bascule.app.CircularStore;
import dev.bascule.app.CountSketch;
import dev.bascule.app.Echo;
import dev.bascule.app.KeyValueServer;
import dev.bascule.app.L2Forward;
import dev.bascule.app.LogMonitor;
import dev.bascule.app.Maglev;
import dev.bascule.app.MaglevTable;
import dev.bascule.app.PatternSet;
import dev.bascule.app.Telemetry;
import dev.bascule.nic.PacketProcessor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/** The applications that run on pipes and on packet queues, by name, with settings and traffic that show what they do. */
public final class SampleApps {
    /** All of them; "copy" has no {@link #processor}, since it does not work in place: {@code CopyEcho}. */
    public static final List<String> NAMES = List.of("echo", "copy", "l2 forward", "maglev", "telemetry", "key-value",
            "log monitor", "capture");

    /** Patterns that the log monitor searches for. */
    public static final List<String> PATTERNS = List.of("error [0-9]+", "fail(ed|ure)",
            "\\d+\\.\\d+\\.\\d+\\.\\d+ denied");

    private SampleApps() {}

    /**
     * The application, ready to run.
     *
     * @param captureFile where the capture writes
     */
    public static PacketProcessor processor(String name, Path captureFile) {
        return switch (name) {
            case "echo" -> new Echo();
            case "l2 forward" -> new L2Forward();
            case "maglev" -> new Maglev(new MaglevTable(IntStream.range(0, 1000).mapToObj(i -> "b" + i).toList()),
                    IntStream.range(0, 1000).toArray(), 1 << 16);
            case "telemetry" -> new Telemetry(new CountSketch(5, 1 << 14, 0.01, 1));
            case "key-value" -> new KeyValueServer(new CircularStore(1 << 22, 1 << 13), Traffic.PORT);
            case "log monitor" -> new LogMonitor(new PatternSet(PATTERNS));
            case "capture" -> capture(captureFile);
            default -> throw new IllegalArgumentException("no application " + name);
        };
    }

    private static PacketProcessor capture(Path file) {
        try {
            return new Capture(file, SampleApps::nanosSinceEpoch);
        } catch (IOException e) {
            throw new UncheckedIOException("capture to " + file + ": " + e.getMessage(), e);
        }
    }

    private static long nanosSinceEpoch() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    /** Frames that give it something to do, of so many flows. */
    public static byte[][] frames(String name, int flows) {
        int length = name.equals("log monitor") ? 576 : name.equals("key-value") ? 128 : 64;
        byte[][] frames = Traffic.udp(flows, length, 7L);
        for (int i = 0; i < frames.length; i++) {
            if (name.equals("key-value")) {
                frames[i][42] = (byte) (i % 10 == 0 ? KeyValueServer.PUT : KeyValueServer.GET);
                frames[i][44] = (byte) (i % 10 == 0 ? 64 : 0);
                Traffic.put(frames[i], 50, 4, (long) (i / 10) << 16);
            } else if (name.equals("log monitor")) {
                byte[] text = ("Jan 01 00:00:00 host app[" + i + "]: request done in 12 ms from 10.0.0." + i % 250
                        + (i % 50 == 0 ? " error 42\n" : " ok\n")).repeat(8).getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(text, 0, frames[i], 42, Math.min(text.length, length - 42));
            }
        }
        return frames;
    }
}
