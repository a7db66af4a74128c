package dev.bascule.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The rows of one {@link Workload}: forks processes, collects what each found, judges. */
final class PairBenchmark implements Benchmark {
    private static final double OUTCOMES_LIMIT = 1.25;

    private final Workload workload;
    private final List<Row> rows;

    PairBenchmark(Workload workload) {
        this.workload = workload;
        this.rows = Rows.ROWS.stream().filter(r -> r.workload().equals(workload.name())).toList();
    }

    @Override
    public List<String> rows() {
        List<String> names = new ArrayList<>();
        for (Row row : rows) {
            names.add(row.name());
            if (row.everyProcess()) {
                names.add(outcomes(row));
            }
        }
        return names;
    }

    private static String outcomes(Row row) {
        return row.name() + "/slowest-process";
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        List<Comparison> found = new ArrayList<>();
        String failure = "";
        for (int i = 0; i < session.processes(); i++) {
            try {
                found.addAll(fork(session));
            } catch (Forks.ForkFailedException e) {
                failure = e.getMessage();
            }
        }
        List<Result> results = new ArrayList<>();
        for (Row row : rows) {
            judge(row, found, failure, results);
        }
        return results.stream().filter(r -> wanted.contains(r.name())).toList();
    }

    private List<Comparison> fork(Session session) throws IOException, InterruptedException {
        List<String> command = Forks.java(workload.jvmOptions(), PairFork.class.getName(), workload.name(),
                session.twins(), Integer.toString(session.millis()),
                Long.toString(ProcessHandle.current().pid()));
        return Forks.run(command, session, 60).stream().filter(Comparison::isLine).map(Comparison::parse)
                .toList();
    }

    /** @param failure what the last process that died said; empty if all lived */
    static void judge(Row row, List<Comparison> found, String failure, List<Result> results) {
        boolean any = false;
        for (Distance distance : Distance.values()) {
            List<Comparison> same = found.stream().filter(c -> c.row().equals(row.name()) && c.distance() == distance)
                    .toList();
            if (!same.isEmpty()) {
                any = true;
                results.add(result(row, distance, same));
                if (row.everyProcess()) {
                    results.add(outcomes(row, distance, same));
                }
            }
        }
        if (!failure.isEmpty()) {
            results.add(Result.died(row.name(), "ns", row.limit(), failure));
        } else if (!any) {
            results.add(Result.notMeasured(row.name(), "ns", row.limit(),
                    "too few windows of a single distance in which both threads had their cores"));
        }
    }

    private static Result result(Row row, Distance distance, List<Comparison> same) {
        List<Double> ratios = same.stream().map(Comparison::ratio).filter(r -> !r.isNaN()).toList();
        Comparison some = same.stream().filter(c -> !Double.isNaN(c.ratio())).findFirst().orElse(same.get(0));
        int leftOut = same.stream().mapToInt(Comparison::leftOut).sum();
        String note = (ratios.isEmpty() ? withoutRatio(row, same) : some.leftPace() + " / " + some.rightPace())
                + (leftOut == 0 ? "" : "; " + leftOut + " windows left out: a thread had no core");
        return new Result(row.name(), "ns", distance.toString(),
                Stats.median(same.stream().map(Comparison::leftNs).toList()),
                Stats.median(same.stream().map(Comparison::rightNs).filter(ns -> !ns.isNaN()).toList()), row.right(),
                Stats.median(ratios), Stats.max(ratios), row.limit(), row.everyProcess(),
                same.stream().mapToInt(Comparison::windows).sum(), same.size(), note).withGoal(row.goal().at(distance));
    }

    private static String withoutRatio(Row row, List<Comparison> same) {
        if (row.right().isEmpty()) {
            return same.get(0).leftPace();
        }
        return same.stream().anyMatch(c -> c.rightPace().equals(Comparison.TOO_FEW))
                ? "too few windows in which " + row.right() + " had its cores: ratio not measured"
                : "no C compiler: ratio not measured";
    }

    /** Slowest process against the median process, by ratio to C: immune to what the machine does meanwhile. */
    private static Result outcomes(Row row, Distance distance, List<Comparison> same) {
        List<Double> ratios = same.stream().map(Comparison::ratio).filter(r -> !r.isNaN()).toList();
        if (ratios.size() < 3) {
            return Result.notMeasured(outcomes(row), "ns", OUTCOMES_LIMIT, "needs three processes at one distance");
        }
        double[] sorted = ratios.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        double value = sorted[sorted.length - 1] / Stats.median(ratios);
        return new Result(outcomes(row), "ns", distance.toString(), Double.NaN, Double.NaN, "", value, value,
                OUTCOMES_LIMIT, false, same.stream().mapToInt(Comparison::windows).sum(), same.size(),
                "ratios " + Arrays.toString(Arrays.stream(sorted).map(r -> Math.round(r * 100) / 100.0).toArray()));
    }
}
