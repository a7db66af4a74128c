package dev.bascule.cli;

import dev.bascule.host.TimeHistogram;
import dev.bascule.registry.Durations;
import dev.bascule.report.Percentiles;
import dev.bascule.run.Misuse;
import java.util.zip.CRC32C;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Load that a player of music or films puts on a scheduler: a little work that is due again and again. */
@Command(name = "player", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "A thread called 'player' that makes a frame each period, with the same work, and counts those that were late: "
                + "not done when the next one was due.",
        "A frame's time is from when it was due until it was done." }, footer = { "", "Examples:",
                "  bascule demo player --save alone.txt",
                "  bascule demo player --period 10ms --work 2ms --duration 30s --against alone.txt" })
final class DemoPlayer extends CommandBase {
    private static final int BYTES = 4096;
    private static final int PROBE = 20;
    private static final long WARM_UP_NANOS = 500_000_000;

    @Range("1ns..")
    @Option(names = "--period", defaultValue = "20ms", paramLabel = "TIME", description = "default ${DEFAULT-VALUE}")
    private String period = "20ms";

    @Range("0s..")
    @Option(names = "--work", defaultValue = "2ms", paramLabel = "TIME", description = "time of a CPU that a frame takes, as found before the first; default ${DEFAULT-VALUE}")
    private String work = "2ms";

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "10s", paramLabel = "TIME", description = "default ${DEFAULT-VALUE}")
    private String duration = "10s";

    @Mixin
    private DemoFigures figures = new DemoFigures();

    private final TimeHistogram times = TimeHistogram.shared();
    private final byte[] frame = new byte[BYTES];
    private final CRC32C crc = new CRC32C();
    private long late;

    @Override
    public Integer call() throws InterruptedException {
        long periodNanos = Durations.parseNanos(period);
        long workNanos = Durations.parseNanos(work);
        if (periodNanos <= workNanos) {
            throw new Misuse("--period " + period + " --work " + work + ": a frame takes longer than its period");
        }
        figures.begin();
        long frames = Math.max(1, Durations.parseNanos(duration) / periodNanos);
        DemoThreads threads = new DemoThreads();
        threads.add("player", alive -> play(frames, periodNanos, workNanos));
        threads.run();
        figures.put("threads in the class that an agent rules", threads.ruled()).put("frames", times.count())
                .put("late frames", late).times("frame", Percentiles.of(times));
        figures.print(out());
        return 0;
    }

    private void play(long frames, long periodNanos, long workNanos) {
        long pieces = Math.max(1, workNanos * PROBE / quickest());
        long begin = System.nanoTime();
        for (long i = 1; i <= frames; i++) {
            long due = begin + i * periodNanos;
            DemoThreads.sleepUntil(due);
            decode(pieces);
            long took = System.nanoTime() - due;
            times.record(took);
            late += took > periodNanos ? 1 : 0;
        }
    }

    /** The least time that so many pieces took, ns: what else ran meanwhile is not counted. */
    private long quickest() {
        long least = Long.MAX_VALUE;
        long begin = System.nanoTime();
        for (long now = begin; now - begin < WARM_UP_NANOS;) {
            decode(PROBE);
            long after = System.nanoTime();
            least = Math.min(least, after - now);
            now = after;
        }
        return Math.max(1, least);
    }

    private void decode(long pieces) {
        for (long i = 0; i < pieces; i++) {
            crc.update(frame);
        }
    }
}
