package dev.bascule.cli;

import dev.bascule.host.TimeHistogram;
import dev.bascule.host.YieldPoint;
import dev.bascule.registry.Durations;
import dev.bascule.report.Percentiles;
import dev.bascule.run.Errors;
import dev.bascule.run.Misuse;
import dev.bascule.workload.RocksDbService;
import dev.bascule.workload.RocksDbSetup;
import dev.bascule.workload.Service;
import dev.bascule.workload.ServiceMix;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** RocksDB with threads of its own: some look records up as requests come, others scan one range after another. */
@Command(name = "store", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Serves RocksDB by threads of its own: get-0, get-1, ... each look a record up when a request of theirs comes (open "
                + "loop, Poisson); range-0, range-1, ... scan ranges, one after another. Every answer is checked.",
        "A GET's latency is from the time that it was due, whenever its thread got a CPU; a RANGE's from its begin." }, footer = {
                "", "Examples:", "  taskset -c 0-1 bascule demo store --save own.txt",
                "  bascule kernel --policy shinjuku --policy-option quantum=1ms --policy-option targets=1ms:100ms --cpus 0-1"
                        + " --class get=get-* --class range=range-* -- bascule demo store --against own.txt",
                "", "Exit status 1: an answer was wrong or failed." })
final class DemoStore extends CommandBase {
    private static final int MOST_THREADS = 1024;
    /** More than half of the records is never scanned. */
    private static final long AS_MANY_AS_THERE_ARE = 3_600_000_000_000L;

    @Range("0.." + MOST_THREADS)
    @Option(names = "--gets", defaultValue = "4", paramLabel = "N", description = "threads that look records up; default ${DEFAULT-VALUE}")
    private int gets;

    @Range(">0..")
    @Option(names = "--rate", defaultValue = "400", paramLabel = "N", description = "GETs per second, of all these threads; default ${DEFAULT-VALUE}")
    private double rate;

    @Range("0.." + MOST_THREADS)
    @Option(names = "--ranges", defaultValue = "4", paramLabel = "N", description = "threads that scan; default ${DEFAULT-VALUE}")
    private int ranges;

    @Range("1..")
    @Option(names = "--keys", defaultValue = "20000", paramLabel = "N", description = "records of a new database; a RANGE scans half of them, in each run the same work; default ${DEFAULT-VALUE}")
    private int keys;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "10s", paramLabel = "TIME", description = "default ${DEFAULT-VALUE}")
    private String duration = "10s";

    @Option(names = "--db", paramLabel = "DIR", description = "folder of the database, which is kept; default: a temporary one")
    private @Nullable Path database;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "decides when requests come and what they touch; default ${DEFAULT-VALUE}")
    private long seed;

    @Mixin
    private DemoFigures figures = new DemoFigures();

    private final TimeHistogram getTimes = TimeHistogram.shared();
    private final TimeHistogram rangeTimes = TimeHistogram.shared();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();

    @Override
    public Integer call() throws InterruptedException {
        if (gets + ranges < 1 || gets + ranges > MOST_THREADS) {
            throw new Misuse("--gets " + gets + " --ranges " + ranges + ": 1 to " + MOST_THREADS + " threads together");
        }
        figures.begin();
        long nanos = Durations.parseNanos(duration);
        RocksDbSetup plain = RocksDbSetup.standard(database, seed);
        RocksDbSetup setup = new RocksDbSetup(database, keys, plain.valueBytes(), seed, plain.rangeShare(),
                AS_MANY_AS_THERE_ARE, plain.keysPerYield());
        DemoThreads threads = new DemoThreads();
        try (Service service = RocksDbService.open(setup)) {
            figures.say(out(), service.describe());
            for (int i = 0; i < gets; i++) {
                int number = i;
                threads.add("get-" + i, start -> look(service, number, start, start + nanos));
            }
            for (int i = 0; i < ranges; i++) {
                threads.add("range-" + i, start -> scan(service, start + nanos));
            }
            long begin = threads.run();
            figures.put("threads in the class that an agent rules", threads.ruled())
                    .put("GETs answered", getTimes.count()).times("GET", Percentiles.of(getTimes))
                    .put("RANGEs answered", rangeTimes.count())
                    .put("RANGEs per second", rangeTimes.count() * 1e9 / (System.nanoTime() - begin))
                    .times("RANGE", Percentiles.of(rangeTimes)).put("wrong answers", wrong.get());
        }
        figures.print(out());
        return wrong.get() == 0 ? 0 : Errors.FAILED;
    }

    private void look(Service service, int number, long begin, long end) {
        SplittableRandom random = new SplittableRandom(seed * MOST_THREADS + number);
        double due = 0;
        while (true) {
            due -= Math.log(1 - random.nextDouble()) * 1e9 * gets / rate;
            long at = begin + (long) due;
            if (at - end >= 0) {
                return;
            }
            DemoThreads.sleepUntil(at);
            execute(service, ServiceMix.GET);
            getTimes.record(System.nanoTime() - at);
        }
    }

    private void scan(Service service, long end) {
        for (long from = System.nanoTime(); from - end < 0;) {
            execute(service, ServiceMix.RANGE);
            long now = System.nanoTime();
            rangeTimes.record(now - from);
            from = now;
        }
    }

    private void execute(Service service, int kind) {
        if (service.execute(numbers.getAndIncrement(), kind, YieldPoint.NONE) != Service.OK) {
            wrong.getAndIncrement();
        }
    }
}
