package dev.bascule.bench;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A forked process: measures one workload and prints a line per comparison for the parent. */
final class PairFork {
    private static final long WINDOW_NANOS = 1_000_000;
    private static final int WARM_UP_WINDOWS = 60;

    private PairFork() {}

    /** Arguments: workload, path of the twins' library or empty, milliseconds to measure. */
    public static void main(String[] args) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[2]));
        haltAfter(TimeUnit.SECONDS.toNanos(30) + 3 * nanos);
        Workload workload = Rows.workload(args[0]);
        Twins twins = Twins.load(args[1]);
        List<Variant> variants = workload.variants(twins);
        try (PairRunner runner = new PairRunner(variants, twins, Cpus.allowed(), WINDOW_NANOS)) {
            runner.run(variants.size() * WARM_UP_WINDOWS * WINDOW_NANOS);
            List<PairRunner.Round> rounds = runner.run(nanos);
            for (Row row : Rows.ROWS) {
                if (row.workload().equals(workload.name())) {
                    Comparison.of(row, variants, rounds).forEach(c -> System.out.println(c.toLine()));
                }
            }
        }
    }

    /** Two spinning threads that wait for each other for ever would take the machine away. */
    private static void haltAfter(long nanos) {
        Thread.ofPlatform().daemon().name("bench-watchdog").start(() -> {
            LockSupport.parkNanos(nanos);
            System.err.println("bench: stuck, giving up");
            Runtime.getRuntime().halt(3);
        });
    }
}
