package dev.bascule.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A forked process: measures one workload and prints a line per comparison for the parent. */
final class PairFork {
    private static final long WINDOW_NANOS = 1_000_000;
    /** How much longer it measures while a side had no core in too many windows. */
    private static final int MOST_TIMES = 4;

    private PairFork() {}

    /** Arguments: workload, path of the twins' library or empty, milliseconds to measure, process id of the parent. */
    public static void main(String[] args) throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[2]));
        Leash.hold(Long.parseLong(args[3]), TimeUnit.SECONDS.toNanos(20) + 2 * MOST_TIMES * nanos);
        Workload workload = Rows.workload(args[0]);
        Twins twins = Twins.load(args[1]);
        List<Variant> variants = workload.variants(twins);
        try (PairRunner runner = new PairRunner(variants, twins, Cpus.allowed(), WINDOW_NANOS)) {
            runner.warmUp(TimeUnit.SECONDS.toNanos(6));
            List<Row> rows = Rows.ROWS.stream().filter(row -> row.workload().equals(workload.name())).toList();
            List<PairRunner.Round> rounds = new ArrayList<>();
            for (int times = 0; times < MOST_TIMES && !isEnough(rows, variants, rounds); times++) {
                rounds.addAll(runner.run(nanos));
            }
            for (Row row : rows) {
                Comparison.of(row, variants, rounds).forEach(c -> System.out.println(c.toLine()));
            }
        }
    }

    private static boolean isEnough(List<Row> rows, List<Variant> variants, List<PairRunner.Round> rounds) {
        return rows.stream().allMatch(row -> Comparison.isEnough(row, variants, rounds));
    }
}
