package dev.bascule.study.enso;

import dev.bascule.app.CopyEcho;
import dev.bascule.app.enso.SampleApps;
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.TxPipe;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * Times one application on pipes and on packet queues: the same frames, the same processing, 64 packets at a time. Only
 * the host's part is timed; the models work in between.
 */
final class AppComparison {
    static final List<String> NAMES = SampleApps.NAMES;

    private static final int BURST = 64;
    private static final int FLOWS = 1024;
    private static final Path NOWHERE = Path.of("/dev/null");
    private static final long WARM_UP_NANOS = 700_000_000;
    private static final int ROUNDS = 100;
    private static final int SAMPLES = 31;

    /** Of one side: nanoseconds per packet, and misses. */
    private record Cost(double nanos, CacheMisses misses) {
        static final Cost NONE = new Cost(Double.MAX_VALUE, CacheMisses.UNKNOWN);

        Cost orBetter(Cost other) {
            return other.nanos < nanos ? other : this;
        }
    }

    private AppComparison() {}

    /** Both sides twice, the better of each: the first of all runs while the compiler is still at work. */
    static AppRatio run(String name) {
        byte[][] frames = SampleApps.frames(name, FLOWS);
        Cost pipe = Cost.NONE;
        Cost packet = Cost.NONE;
        for (int i = 0; i < 2; i++) {
            pipe = pipe.orBetter(pipes(name, frames));
            packet = packet.orBetter(packets(name, frames));
        }
        return new AppRatio(name, pipe.nanos, packet.nanos, pipe.misses, packet.misses);
    }

    private static Cost pipes(String name, byte[][] frames) {
        try (EnsoBench bench = new EnsoBench(false)) {
            IntSupplier round = name.equals("copy") ? copyPipes(bench) : loop(bench, name);
            return cost(frames, bench::receive, bench::work, round);
        }
    }

    private static Cost packets(String name, byte[][] frames) {
        try (CorundumBench bench = new CorundumBench()) {
            IntSupplier round = name.equals("copy") ? copyQueues(bench) : loop(bench, name);
            return cost(frames, bench::receive, bench::work, round);
        }
    }

    private static IntSupplier loop(EnsoBench bench, String name) {
        PipeLoop loop = new PipeLoop(bench.pipe(), SampleApps.processor(name, NOWHERE), Long.MAX_VALUE);
        return loop::run;
    }

    private static IntSupplier loop(CorundumBench bench, String name) {
        ProcessorLoop loop = new ProcessorLoop(bench.nic().rxQueue(0), bench.nic().txQueue(0),
                SampleApps.processor(name, NOWHERE), BURST);
        return loop::run;
    }

    private static IntSupplier copyPipes(EnsoBench bench) {
        CopyEcho echo = new CopyEcho();
        TxPipe out = bench.group().openTx();
        return () -> echo.run(bench.pipe(), out);
    }

    private static IntSupplier copyQueues(CorundumBench bench) {
        CopyEcho echo = new CopyEcho();
        return () -> echo.run(bench.nic().rxQueue(0), bench.nic().txQueue(0));
    }

    /** Of the host's part: nanoseconds as the lower quartile of samples, then misses over as many rounds. */
    private static Cost cost(byte[][] frames, Consumer<byte[]> receive, Runnable work, IntSupplier round) {
        double nanos = time(frames, receive, work, round);
        CacheMisses misses = CacheMisses.of(events -> {
            long[] sum = new long[2];
            int[] next = { 0 };
            IntSupplier counted = () -> {
                events.start();
                int packets = round.getAsInt();
                events.stop();
                return packets;
            };
            for (int i = 0; i < SAMPLES * ROUNDS; i++) {
                step(frames, next, receive, work, counted, sum);
            }
            return sum[1];
        });
        return new Cost(nanos, misses);
    }

    private static double time(byte[][] frames, Consumer<byte[]> receive, Runnable work, IntSupplier round) {
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
