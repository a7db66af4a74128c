package dev.bascule.study.cli;

import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.ffi.Libc;
import dev.bascule.host.Session;
import dev.bascule.run.Backoff;
import dev.bascule.host.tier.AccessSources;
import dev.bascule.host.tier.TierLink;
import dev.bascule.host.tier.Tiering;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.policy.TieringAgent;
import dev.bascule.study.experiment.Figure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Figures that the live form of Wave's memory offload measures on this machine in seconds, to stand beside what is simulated
 * of it. One thread, beside those that it starts and ends.
 */
final class LiveWave {
    private static final int HOT_OF_100 = 15; // as in the simulated trace
    private static final int SET_BATCHES = 512;
    private static final int BATCH_BYTES = 64 * 4096;
    private static final int PAGE_BYTES = 4096;
    private static final int TABLE = 1 << 15;
    private static final long TOUCH_MILLIS = 20;
    private static final long PERIOD_NANOS = 200_000_000;
    private static final double MIB = 1 << 20;
    private static final double GIB = 1 << 30;
    /** Memory whose page-table entries pass at 1 Gbit/s, 64 bits a page. */
    private static final double GIB_PER_SECOND = 1e9 / 64 * PAGE_BYTES / GIB;
    private static final Figure.Published CORES_RECOVERED = Figure.Published.of(16,
            "Wave (ASPLOS'25) abstract: memory management as a whole; 1 Gbit/s (\"1+\") of page-table entries in "
                    + "arXiv:2603.13750 section 2.1; how much memory that was for how many scans was not at hand",
            "primary");

    private LiveWave() {}

    /** Memory that would leave the fast tier, of this process with a made-up working set; why not, where nothing shows it. */
    static List<Figure> memory(boolean quick, long seed) throws InterruptedException {
        List<AccessSources.Availability> sources = AccessSources.all();
        if (sources.stream().noneMatch(AccessSources.Availability::isThere)) {
            return List.of(Figure.measured("live: fast memory saved", "%", Double.NaN,
                    "not measured here: " + sources.stream()
                            .map(one -> one.name() + ": " + one.found() + " (" + one.cure() + ")")
                            .collect(Collectors.joining("; "))));
        }
        int periods = quick ? 40 : 120;
        try (ScratchFolder folder = Session.newRunDirectory();
                Arena arena = Arena.ofShared();
                WorkingSet set = new WorkingSet(folder.path().resolve("set"), arena);
                TierLink link = TierLink.open("wave", null);
                Tiering host = new Tiering(new Tiering.Settings("auto", "count", PERIOD_NANOS, 0.2, TABLE, TABLE, 1),
                        () -> Set.of((int) ProcessHandle.current().pid()), link)) {
            long begun = System.nanoTime();
            Play played = play(host, link.agent(TABLE, TieringAgent.byAge(TABLE, 3, 1, seed)), periods);
            long most = played.mostBytes();
            double seconds = (System.nanoTime() - begun) / 1e9;
            String scale = String.format(Locale.ROOT,
                    "small, live, this machine: this process, of %.0f MiB a made-up set of %.0f MiB, %d %% of it touched each %d ms, in"
                            + " %d periods of %.0f s in all; access bits from %s; only counted, nothing was moved",
                    most / MIB, (double) SET_BATCHES * BATCH_BYTES / MIB, HOT_OF_100, TOUCH_MILLIS, periods, seconds,
                    host.source());
            double gib = host.scannedBytes() / GIB;
            double scan = host.scanNanos() / 1e6 / gib;
            double classify = played.agentNanos() / 1e6 / gib;
            return List.of(Figure.measured("live: fast memory that would be saved", "%",
                    100.0 * (most - host.fastBytes()) / Math.max(1, most), scale),
                    Figure.measured("live: CPU time of scans", "% of a core", host.scanNanos() / 1e7 / seconds, scale),
                    Figure.measured("live: CPU time to scan a GiB once", "ms", scan, scale),
                    Figure.measured("live: CPU time to classify a GiB once", "ms", classify, scale),
                    Figure.measured("live: CPU time to act on decisions about a GiB", "ms",
                            host.moveNanos() / 1e6 / gib, scale),
                    Figure.measured(String.format(Locale.ROOT,
                            "live: cores for both, extrapolated to %.1f GiB/s (1 Gbit/s of page-table entries)",
                            GIB_PER_SECOND), "cores", (scan + classify) / 1e3 * GIB_PER_SECOND, scale)
                            .beside(CORES_RECOVERED));
        }
    }

    private record Play(long mostBytes, long agentNanos) {}

    /** Returns the most that was resident, and the CPU time of the agent, which runs in the same thread. */
    private static Play play(Tiering host, MemoryAgent agent, int periods) throws InterruptedException {
        Backoff backoff = new Backoff(PERIOD_NANOS / 16);
        long most = 0;
        long agentNanos = 0;
        for (int i = 0; i < periods; i++) {
            long next = System.nanoTime() + Math.max(PERIOD_NANOS, host.beginPeriod());
            most = Math.max(most, host.residentBytes());
            while (System.nanoTime() - next < 0) {
                long before = Libc.threadCpuNanos();
                int classified = agent.doWork();
                agentNanos += classified == 0 ? 0 : Libc.threadCpuNanos() - before;
                if (classified + host.doWork() > 0) {
                    backoff.worked();
                } else {
                    backoff.rest();
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
        return new Play(most, agentNanos);
    }

    /** Mappings of a batch each, which the kernel keeps apart, and a thread that touches the first of them. */
    private static final class WorkingSet implements AutoCloseable {
        private final List<MemorySegment> batches = new ArrayList<>();
        private final Thread toucher = Thread.ofPlatform().daemon().name("working-set").unstarted(this::touch);
        private volatile boolean isEnding;

        WorkingSet(Path file, Arena arena) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                    StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
                for (int i = 0; i < SET_BATCHES; i++) { // with a hole between any two
                    batches.add(channel.map(FileChannel.MapMode.READ_WRITE, 2L * i * BATCH_BYTES, BATCH_BYTES, arena));
                }
            } catch (IOException e) {
                throw new UncheckedIOException("map a working set in " + file + ": " + e.getMessage()
                        + "; make room, or leave it out with --no-live", e);
            }
            batches.forEach(this::touch);
            toucher.start();
        }

        private void touch() {
            while (!isEnding) {
                batches.subList(0, SET_BATCHES * HOT_OF_100 / 100).forEach(this::touch);
                try {
                    Thread.sleep(TOUCH_MILLIS);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void touch(MemorySegment batch) {
            for (long at = 0; at < batch.byteSize(); at += PAGE_BYTES) {
                batch.set(ValueLayout.JAVA_BYTE, at, (byte) 1); // written, as soft-dirty bits show nothing else
            }
        }

        @Override
        public void close() throws InterruptedException {
            isEnding = true;
            toucher.join();
        }
    }
}
