package dev.bascule.app.enso;

import dev.bascule.app.Capture;
import dev.bascule.app.CircularStore;
import dev.bascule.app.CopyEcho;
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
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.TxPipe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * Times one application on pipes and on packet queues: the same frames, the same processing, 64 packets at a time. Only
 * the host's part is timed; the models work in between.
 */
final class AppComparison {
    static final List<String> NAMES = List.of("echo", "copy", "l2 forward", "maglev", "telemetry", "key-value",
            "log monitor", "capture");

    private static final int BURST = 64;
    private static final int FLOWS = 1024;
    private static final long WARM_UP_NANOS = 700_000_000;
    private static final int ROUNDS = 100;
    private static final int SAMPLES = 31;

    private AppComparison() {}

    /** Both sides twice, the better of each: the first of all runs while the compiler is still at work. */
    static AppRatio run(String name) {
        byte[][] frames = frames(name);
        double pipe = Double.MAX_VALUE;
        double packet = Double.MAX_VALUE;
        for (int i = 0; i < 2; i++) {
            pipe = Math.min(pipe, pipes(name, frames));
            packet = Math.min(packet, packets(name, frames));
        }
        return new AppRatio(name, pipe, packet);
    }

    private static double pipes(String name, byte[][] frames) {
        try (EnsoBench bench = new EnsoBench(false)) {
            IntSupplier round = name.equals("copy") ? copyPipes(bench) : loop(bench, name);
            return time(frames, bench::receive, bench::work, round);
        }
    }

    private static double packets(String name, byte[][] frames) {
        try (CorundumBench bench = new CorundumBench()) {
            IntSupplier round = name.equals("copy") ? copyQueues(bench) : loop(bench, name);
            return time(frames, bench::receive, bench::work, round);
        }
    }

    private static IntSupplier loop(EnsoBench bench, String name) {
        PipeLoop loop = new PipeLoop(bench.pipe(), processor(name), Long.MAX_VALUE);
        return loop::run;
    }

    private static IntSupplier loop(CorundumBench bench, String name) {
        ProcessorLoop loop = new ProcessorLoop(bench.nic().rxQueue(0), bench.nic().txQueue(0), processor(name), BURST);
        return loop::run;
    }

    private static IntSupplier copyPipes(EnsoBench bench) {
        CopyEcho echo = new CopyEcho();
        TxPipe out = bench.group().openTx();
        return () -> (int) (echo.run(bench.pipe(), out) / BURST); // frames of one quantum
    }

    private static IntSupplier copyQueues(CorundumBench bench) {
        CopyEcho echo = new CopyEcho();
        return () -> (int) (echo.run(bench.nic().rxQueue(0), bench.nic().txQueue(0)) / BURST);
    }

    private static PacketProcessor processor(String name) {
        return switch (name) {
            case "echo" -> new Echo();
            case "l2 forward" -> new L2Forward();
            case "maglev" -> new Maglev(new MaglevTable(IntStream.range(0, 1000).mapToObj(i -> "b" + i).toList()),
                    IntStream.range(0, 1000).toArray(), 1 << 16);
            case "telemetry" -> new Telemetry(new CountSketch(5, 1 << 14, 0.01, 1));
            case "key-value" -> new KeyValueServer(new CircularStore(1 << 22, 1 << 13), Traffic.PORT);
            case "log monitor" -> new LogMonitor(
                    new PatternSet(List.of("error [0-9]+", "fail(ed|ure)", "\\d+\\.\\d+\\.\\d+\\.\\d+ denied")));
            case "capture" -> capture();
            default -> throw new IllegalArgumentException("no application " + name);
        };
    }

    private static PacketProcessor capture() {
        try {
            return new Capture(Path.of("/dev/null"), System::nanoTime);
        } catch (IOException e) {
            throw new UncheckedIOException("capture: " + e.getMessage(), e);
        }
    }

    private static byte[][] frames(String name) {
        int length = name.equals("log monitor") ? 576 : name.equals("key-value") ? 128 : 64;
        byte[][] frames = Traffic.udp(FLOWS, length, 7L);
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

    /** Nanoseconds per packet of the host's part: lower quartile of samples. */
    private static double time(byte[][] frames, Consumer<byte[]> receive, Runnable work,
            IntSupplier round) {
        int[] next = { 0 };
        long start = System.nanoTime();
        while (System.nanoTime() - start < WARM_UP_NANOS) {
            step(frames, next, receive, work, round, new long[2]);
        }
        double[] samples = new double[SAMPLES];
        for (int s = 0; s < SAMPLES; s++) {
            long[] sum = new long[2];
            for (int i = 0; i < ROUNDS; i++) {
                step(frames, next, receive, work, round, sum);
            }
            samples[s] = sum[1] == 0 ? Double.NaN : (double) sum[0] / sum[1];
        }
        Arrays.sort(samples);
        return samples[SAMPLES / 4]; // others on the machine only make it slower
    }

    private static void step(byte[][] frames, int[] next, Consumer<byte[]> receive, Runnable work,
            IntSupplier round, long[] sum) {
        for (int i = 0; i < BURST; i++) {
            receive.accept(frames[next[0]++ % FLOWS]);
        }
        work.run();
        long start = System.nanoTime();
        int packets = round.getAsInt();
        sum[0] += System.nanoTime() - start;
        sum[1] += packets;
        work.run();
    }
}
