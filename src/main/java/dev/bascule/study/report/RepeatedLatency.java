package dev.bascule.study.report;

import dev.bascule.host.TimeHistogram;
import dev.bascule.json.Json;
import dev.bascule.report.Estimate;
import dev.bascule.report.Numbers;
import dev.bascule.report.Percentiles;
import dev.bascule.report.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How long the jobs of one kind took, over independent runs, ns. A percentile of runs that are too short for it is no figure:
 * ten jobs of each run must lie above it. One of runs that are too short beside their queue's memory has no interval.
 *
 * @param name of the kind
 * @param jobs measured, in all runs
 * @param least jobs measured in a run
 * @param memories how many times as long as its queue remembers a run is, at least; infinite: not known
 * @param mean of the runs' means
 * @param p50 of the runs' medians
 * @param p99 of the runs' 99th percentiles
 * @param p999 of the runs' 99.9th
 */
public record RepeatedLatency(String name, long jobs, long least, double memories, Estimate mean, Estimate p50,
        Estimate p99, Estimate p999) {
    private static final double HUNDREDTHS = 0.01;

    /** From a histogram a run, each {@code memories} times as long as its queue remembers. */
    public static RepeatedLatency of(String name, List<TimeHistogram> runs, double memories) {
        long jobs = runs.stream().mapToLong(TimeHistogram::count).sum();
        long least = runs.stream().mapToLong(TimeHistogram::count).min().orElse(0);
        return new RepeatedLatency(name, jobs, least, memories,
                Estimate.of(runs.stream().map(run -> run.count() == 0 ? Double.NaN : run.mean()).toList())
                        .known(memories >= Percentiles.memories(50)),
                percentile(runs, 50, memories), percentile(runs, 99, memories), percentile(runs, 99.9, memories));
    }

    /** A percentile of each run, NaN where it is too short. */
    public static List<Double> percentiles(List<TimeHistogram> runs, double percent) {
        return runs.stream().map(run -> run.count() < Percentiles.needs(percent) ? Double.NaN : run.percentile(percent))
                .toList();
    }

    private static Estimate percentile(List<TimeHistogram> runs, double percent, double memories) {
        return Estimate.of(percentiles(runs, percent)).known(memories >= Percentiles.memories(percent));
    }

    /**
     * Of an object that {@link #into} has filled, read again.
     *
     * @param runs repeats that it is of
     */
    public static RepeatedLatency read(String name, Map<?, ?> from, long runs) {
        long jobs = from.get("count") instanceof Number count ? count.longValue() : 0;
        return new RepeatedLatency(name, jobs * runs, jobs, Double.POSITIVE_INFINITY,
                read(from, "meanNanos", runs), read(from, "p50Nanos", runs),
                read(from, "p99Nanos", runs), read(from, "p999Nanos", runs));
    }

    private static Estimate read(Map<?, ?> from, String key, long runs) {
        double half = from.get("half95") instanceof Map<?, ?> halves ? number(halves, key) : Double.NaN;
        return new Estimate(number(from, key), half, (int) runs);
    }

    private static double number(Map<?, ?> from, String key) {
        return from.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** Mean, p50, p99 and p99.9 in us, each with its interval, or with what it needs. */
    List<String> cells() {
        return cells(1e-3);
    }

    private List<String> cells(double unit) {
        return List.of(mean.times(unit).text(), text(p50, 50, unit), text(p99, 99, unit), text(p999, 99.9, unit));
    }

    private String text(Estimate of, double percent, double unit) {
        return least < Percentiles.needs(percent) && jobs > 0
                ? String.format(Locale.ROOT, "needs %,d jobs", Percentiles.needs(percent))
                : of.times(unit).text();
    }

    /** A table for a terminal of kinds that are slowdowns in hundredths. */
    public static String slowdowns(List<RepeatedLatency> kinds) {
        Table table = new Table(1, "slowdown (sojourn by demand)", "mean", "p50", "p99", "p99.9");
        kinds.forEach(kind -> {
            List<String> cells = kind.cells(HUNDREDTHS);
            table.row(kind.name, cells.get(0), cells.get(1), cells.get(2), cells.get(3));
        });
        return table.render();
    }

    /** An object of one that is slowdowns in hundredths: {@code name}, and for each figure its mean and interval. */
    public Json.Obj slowdown() {
        return Json.object().put("name", name).put("mean", mean.times(HUNDREDTHS).json())
                .put("p50", p50.times(HUNDREDTHS).json()).put("p99", p99.times(HUNDREDTHS).json())
                .put("p999", p999.times(HUNDREDTHS).json());
    }

    /** A table of the kinds for a terminal. */
    public static String table(List<RepeatedLatency> kinds) {
        Table table = new Table(1, "latency (us)", "jobs a run", "mean", "p50", "p99", "p99.9");
        for (RepeatedLatency kind : kinds) {
            List<String> cells = kind.cells();
            table.row(kind.name, Numbers.count(kind.mean.repeats() == 0 ? 0 : (double) kind.jobs / kind.mean.repeats()),
                    cells.get(0), cells.get(1), cells.get(2), cells.get(3));
        }
        return table.render();
    }

    /**
     * Puts {@code meanNanos}, {@code p50Nanos}, ...: null for what there is not; halves of the intervals; and the jobs
     * that either needs.
     */
    public Json.Obj into(Json.Obj object) {
        Json.Obj half = Json.object();
        Json.Obj needs = Json.object();
        Json.Obj intervals = Json.object();
        object.put("count", mean.repeats() == 0 ? 0 : jobs / mean.repeats());
        put(object, half, "meanNanos", mean);
        put(object, half, "p50Nanos", p50);
        put(object, half, "p99Nanos", p99);
        put(object, half, "p999Nanos", p999);
        for (double percent : new double[] { 50, 99, 99.9 }) {
            String key = "p" + Numbers.trimmed(Double.toString(percent)).replace(".", "") + "Nanos";
            if (least < Percentiles.needs(percent)) {
                needs.put(key, Percentiles.needs(percent));
            }
            if (memories < Percentiles.memories(percent)) {
                intervals.putFigure(key, Math.ceil(least * Percentiles.memories(percent) / memories), true);
            }
        }
        return object.put("half95", half).put("needsJobsARun", needs).put("intervalNeedsJobsARun", intervals);
    }

    private static void put(Json.Obj object, Json.Obj half, String key, Estimate of) {
        object.putFigure(key, of.mean(), true);
        half.putFigure(key, of.half(), true);
    }
}
