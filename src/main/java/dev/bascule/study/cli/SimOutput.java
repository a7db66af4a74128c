package dev.bascule.study.cli;

import dev.bascule.run.OutputFile;
import dev.bascule.config.CostProfiles;
import dev.bascule.host.TimeHistogram;
import dev.bascule.json.Json;
import dev.bascule.report.Estimate;
import dev.bascule.study.experiment.PointRuns;
import dev.bascule.study.experiment.PointSpec;
import dev.bascule.study.report.RepeatedLatency;
import dev.bascule.study.sim.ExtendedLoad;
import dev.bascule.study.sim.SimResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Output of simulated runs of a point, as text and as JSON.
 *
 * @param costs name of the cost profile
 * @param runs of the point
 * @param others runs of the point that it is compared with, on the same seeds; null: none
 */
record SimOutput(String costs, PointRuns runs, @Nullable PointRuns others) {
    private static final int VERSION = 3;
    private static final int SHOWN_STARVING = 5;
    private static final String ALL = "all";
    private static final String SHARE = "residentShare";
    private static final double TAIL = 99.9;
    private static final double[] PERCENTS = { 50, 99, TAIL };
    private static final List<String> CSV = List.of("count", "throughputPerSecond", "meanNanos", "p50Nanos", "p99Nanos",
            "p999Nanos", "meanSlowdown", "p50Slowdown", "p99Slowdown", "p999Slowdown", SHARE);

    /** Of all jobs, and of each class if there are several. */
    List<RepeatedLatency> latencies(PointRuns of) {
        List<RepeatedLatency> kinds = new ArrayList<>();
        kinds.add(latency(ALL, of, SimResult::allSojourns));
        List<RepeatedLatency> classes = classes(of);
        kinds.addAll(classes.size() > 1 ? classes : List.of());
        return kinds;
    }

    private static List<RepeatedLatency> classes(PointRuns of) {
        List<String> names = of.point().classNames();
        List<RepeatedLatency> classes = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            int which = i;
            classes.add(latency(names.get(i), of, r -> r.sojourn().get(which)));
        }
        return classes;
    }

    /** Slowdowns of the same kinds: sojourns by demand. */
    private static List<RepeatedLatency> slowdowns(PointRuns of) {
        List<RepeatedLatency> kinds = new ArrayList<>();
        kinds.add(latency(ALL, of, SimResult::allSlowdowns));
        List<String> names = of.point().classNames();
        for (int i = 0; names.size() > 1 && i < names.size(); i++) {
            int which = i;
            kinds.add(latency(names.get(i), of, r -> r.slowdown().get(which)));
        }
        return kinds;
    }

    private static RepeatedLatency latency(String name, PointRuns of, Function<SimResult, TimeHistogram> times) {
        return RepeatedLatency.of(name, of.results().stream().map(times).toList(),
                of.length(of.results()).memories());
    }

    // ---- JSON

    /** The row of a sweep as well. Counts are means of a run, as times are. */
    Json.Obj json() {
        Json.Obj json = json(runs);
        PointRuns second = others;
        if (second != null) {
            json.put("against", json(second));
            Json.Obj differences = Json.object();
            differences(second).forEach((what, difference) -> differences.put(what,
                    difference.json().put("distinguishable", difference.excludes(0))));
            json.put("difference", differences);
        }
        return json;
    }

    private Json.Obj json(PointRuns of) {
        Json.Obj json = Json.object().put("version", VERSION).put("simulated", true).put("point", of.point().toString())
                .put("spec", Json.object(of.point().values())).put("costProfile", costs)
                .put("costProfileFile", CostProfiles.file(costs))
                .put("repeats", of.results().size()).put("warmUpShare", of.point().warmUp())
                .put("overloaded", of.isOverloaded()).put("settled", of.isSettled());
        Estimate throughput = of.estimate(SimResult::throughputPerSecond);
        json.putFigure("throughputPerSecond", throughput.mean(), true).putFigure("throughputHalf95", throughput.half(),
                true);
        latency(ALL, of, SimResult::allSojourns).into(json);
        json.put("slowdown", Json.array(slowdowns(of), RepeatedLatency::slowdown));
        means().forEach((key, figure) -> json.putFigure(key, of.estimate(figure).mean(), true));
        return json.put("littleErrorNanos", of.sum(r -> Math.abs(r.littleErrorNanos())))
                .put("longestWaitNanos", of.results().stream().mapToLong(r -> r.waits().longestNanos()).max().orElse(0))
                .put("starved", of.sum(r -> r.waits().starved())).put("incidents", of.sum(r -> r.incidents().size()))
                .put("hosts", HostOutput.json(of, "host")).put("enclaves", HostOutput.json(of, "enclave"))
                .put("agentCores", cores(of, of.results().getFirst()))
                .putFigure("agentCoresBusy", of.estimate(r -> busy(of, r)).mean(), true)
                .put("classes", Json.array(classes(of), one -> one.into(Json.object().put("name", one.name()))))
                .put("residents", Json.array(background(of), one -> one.json(of)))
                .put("runs", Json.array(IntStream.range(0, of.results().size()).boxed().toList(), i -> run(of, i)));
    }

    /** One run, with the percentiles that it is long enough for. */
    private static Json.Obj run(PointRuns of, int number) {
        SimResult r = of.results().get(number);
        List<String> names = of.point().classNames();
        Json.Obj run = Json.object().put("seed", of.point().repeat(number).values().get("seed"))
                .put("throughputPerSecond", r.throughputPerSecond()).put("jobs", r.jobs().arrived());
        figures(run, r.allSojourns(), r.allSlowdowns());
        run.put(SHARE, r.residentShare(0, r.residents().size()));
        return run.put("classes", Json.array(IntStream.range(0, names.size()).boxed().toList(),
                i -> figures(Json.object().put("name", names.get(i)), r.sojourn().get(i), r.slowdown().get(i))))
                .put("residents", Json.array(background(of), one -> Json.object().put("name", one.name())
                        .put(SHARE, one.share(r))));
    }

    /** Residents of a kind: those from one number up to another. */
    private record Background(String name, int from, int to) {
        double share(SimResult r) {
            return r.residentShare(from, to);
        }

        private Json.Obj json(PointRuns of) {
            Estimate share = of.estimate(this::share);
            return Json.object().put("name", name).put("threads", to - from)
                    .putFigure("share", share.mean(), false).putFigure("shareHalf95", share.half(), false)
                    .putFigure("cpus", share.mean() * of.results().getFirst().cpus(), false);
        }
    }

    private static List<Background> background(PointRuns of) {
        List<Background> all = new ArrayList<>();
        int from = 0;
        for (ExtendedLoad.Residents one : of.point().residents()) {
            all.add(new Background("residents " + one.name(), from, from + one.threads()));
            from += one.threads();
        }
        return all;
    }

    private static Json.Obj figures(Json.Obj of, TimeHistogram times, TimeHistogram slowdowns) {
        boolean none = times.count() == 0;
        of.put("count", times.count()).putFigure("meanNanos", none ? Double.NaN : times.mean(), true);
        of.putFigure("meanSlowdown", none ? Double.NaN : slowdowns.mean() / 100, false);
        for (double percent : PERCENTS) {
            of.putFigure(key(percent) + "Nanos", known(times, percent), true);
            of.putFigure(key(percent) + "Slowdown", known(slowdowns, percent) / 100, false);
        }
        return of;
    }

    private static double known(TimeHistogram of, double percent) {
        return RepeatedLatency.percentiles(List.of(of), percent).getFirst();
    }

    private static String key(double percent) {
        return percent == 50 ? "p50" : percent == 99 ? "p99" : "p999";
    }

    // ---- CSV

    /**
     * Rows of a sweep, or of both points of a comparison, as CSV (RFC 4180): a line for all jobs of each run, one
     * for each class and one for residents of each kind, with what the point is; empty where a run is too short for a
     * percentile. The last column names the figures whose runs are too short for an interval.
     */
    static void csv(Path file, Stream<Map<?, ?>> rows) throws IOException {
        List<String> heads = new ArrayList<>(PointSpec.DEFAULTS.keySet());
        heads.addAll(List.of("options", "run", "runSeed", "class"));
        heads.addAll(CSV);
        heads.add("noInterval");
        lines(file, heads, rows.flatMap(row -> csv(row).stream()));
    }

    /** Points that were run, as CSV like that of a sweep. */
    static void csv(Path file, String costs, List<PointRuns> points) throws IOException {
        csv(file, points.stream().map(one -> SweepResults.row(new SimOutput(costs, one, null).json().toString())));
    }

    /** A CSV file (RFC 4180) of these lines; null cells are empty. */
    static void lines(Path file, List<String> heads, Stream<? extends List<?>> lines) throws IOException {
        try (Writer out = Files.newBufferedWriter(file)) {
            for (List<?> line : (Iterable<List<?>>) Stream.concat(Stream.of(heads), lines)::iterator) {
                out.write(line.stream().map(cell -> quoted(text(cell))).collect(Collectors.joining(",")) + "\r\n");
            }
        } catch (IOException e) {
            throw OutputFile.named(file, e);
        }
    }

    /** A figure as a cell; empty if it is none. */
    static String cell(double figure) {
        return Double.isNaN(figure) ? "" : Double.toString(figure);
    }

    private static List<List<String>> csv(Map<?, ?> row) {
        Map<?, ?> spec = row.get("spec") instanceof Map<?, ?> map ? map : Map.of();
        List<String> point = new ArrayList<>();
        PointSpec.DEFAULTS.keySet().forEach(key -> point.add(text(spec.get(key))));
        point.add(spec.entrySet().stream().filter(one -> !PointSpec.DEFAULTS.containsKey(text(one.getKey())))
                .map(one -> one.getKey() + "=" + one.getValue()).collect(Collectors.joining(" ")));
        List<List<String>> out = new ArrayList<>();
        Map<String, Map<?, ?>> all = new LinkedHashMap<>();
        list(row, "classes").forEach(one -> all.put(text(((Map<?, ?>) one).get("name")), (Map<?, ?>) one));
        List<?> runs = list(row, "runs");
        for (int i = 0; i < runs.size(); i++) {
            Map<?, ?> run = (Map<?, ?>) runs.get(i);
            csv(out, point, i, run, ALL, run, row);
            for (Object one : list(run, "classes")) {
                csv(out, point, i, run, text(((Map<?, ?>) one).get("name")), (Map<?, ?>) one,
                        all.getOrDefault(text(((Map<?, ?>) one).get("name")), Map.of()));
            }
            for (Object one : list(run, "residents")) {
                csv(out, point, i, run, text(((Map<?, ?>) one).get("name")), (Map<?, ?>) one, Map.of());
            }
        }
        return out;
    }

    private static List<?> list(Map<?, ?> of, String key) {
        return of.get(key) instanceof List<?> list ? list : List.of();
    }

    private static void csv(List<List<String>> out, List<String> point, int number, Map<?, ?> run, String kind,
            Map<?, ?> figures, Map<?, ?> together) {
        List<String> cells = new ArrayList<>(point);
        cells.addAll(List.of(Integer.toString(number), text(run.get("seed")), kind));
        CSV.forEach(key -> cells.add(text(figures.get(key))));
        cells.add(together.get("intervalNeedsJobsARun") instanceof Map<?, ?> needs
                ? needs.keySet().stream().map(Object::toString).collect(Collectors.joining(" "))
                : "");
        out.add(cells);
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static String quoted(String cell) {
        return cell.matches("[^\",\r\n]*") ? cell : '"' + cell.replace("\"", "\"\"") + '"';
    }

    private static double percentile(TimeHistogram of, double percent) {
        return of.count() == 0 ? Double.NaN : of.percentile(percent);
    }

    private static Map<String, ToDoubleFunction<SimResult>> means() {
        Map<String, ToDoubleFunction<SimResult>> all = new LinkedHashMap<>();
        all.put("jobs", r -> r.jobs().arrived());
        all.put("done", r -> r.jobs().finished());
        all.put("rejected", r -> r.jobs().rejected());
        all.put("slowdownP999", r -> percentile(r.allSlowdowns(), 99.9) / 100.0);
        all.put("windowP50Nanos", r -> percentile(r.window(), 50));
        all.put("windowP99Nanos", r -> percentile(r.window(), 99));
        all.put("utilisation", SimResult::utilisation);
        all.put("cpusOfWork", r -> r.time().work() / (double) Math.max(1, r.lastNanos()));
        all.put("decisions", r -> r.decisions().complete());
        all.put("stale", r -> r.decisions().stale());
        all.put("preemptions", r -> r.decisions().preemptions());
        all.put("crossings", r -> r.decisions().crossings());
        all.put("local", r -> r.decisions().local());
        all.put("overflows", r -> r.decisions().overflows());
        all.put("agentBusyNanos", r -> r.time().agentBusy());
        all.put("hostReads", r -> r.bus().hostReads());
        all.put("hostWrites", r -> r.bus().hostWrites());
        return all;
    }

    // ---- the second point less the first

    private Map<String, Estimate> differences(PointRuns second) {
        Map<String, Estimate> all = new LinkedHashMap<>();
        all.put("throughputPerSecond", difference(second, r -> r.throughputPerSecond()));
        all.put("meanNanos", difference(second, r -> r.allSojourns().mean()));
        for (double percent : PERCENTS) {
            all.put(key(percent) + "Nanos",
                    Estimate.ofPairs(percentiles(runs, percent), percentiles(second, percent)).known(settles(percent)
                            && new SimOutput(costs, second, null).settles(percent)));
        }
        return all;
    }

    private Estimate difference(PointRuns second, ToDoubleFunction<SimResult> figure) {
        return Estimate.ofPairs(runs.each(figure), second.each(figure));
    }

    private boolean settles(double percent) {
        return runs.length(runs.results()).factor(percent) <= 1;
    }

    private static List<Double> percentiles(PointRuns of, double percent) {
        return RepeatedLatency.percentiles(of.results().stream().map(SimResult::allSojourns).toList(), percent);
    }

    // ---- text

    void print(PrintWriter out) {
        print(out, runs);
        out.println("Costs: " + costs + ", of " + CostProfiles.file(costs));
        PointRuns second = others;
        if (second == null) {
            return;
        }
        out.println();
        print(out, second);
        out.println();
        out.println("The second less the first, in pairs of runs with the same seed:");
        differences(second).forEach((what, difference) -> {
            boolean time = what.endsWith("Nanos");
            Estimate shown = difference.times(time ? 1e-3 : 1);
            String name = time ? what.replace("Nanos", "") : "throughput";
            if (shown.repeats() == 0 || shown.repeats() > 1 && Double.isNaN(shown.half())) {
                out.printf("  %s: the runs are too short%n", name);
            } else {
                out.printf("  %s %s%s%s%n", name, shown.text(), time ? " us" : " per second",
                        shown.excludes(0) ? "" : ": not distinguishable from 0");
            }
        });
    }

    private void print(PrintWriter out, PointRuns of) {
        SimResult first = of.results().getFirst();
        int n = of.results().size();
        out.println("SIMULATED: " + of.point());
        if (first.hosts() > 1) {
            if (of.point().part().equals("host")) {
                out.printf("%d hosts of %d CPUs under one load balancer%n", first.hosts(), first.topology().cpus());
            } else {
                out.printf("%d enclaves of %d CPUs on one host; agents' cores that they share: %d%n", first.hosts(),
                        first.topology().cpus(), cores(of, first));
            }
        }
        out.printf("%,d jobs in %d run%s, %s per second%s%n", of.sum(r -> r.jobs().finished()), n, n == 1 ? "" : "s",
                of.estimate(SimResult::throughputPerSecond).text(), of.isOverloaded() ? " (OVERLOADED)" : "");
        out.print(RepeatedLatency.table(latencies(of)));
        out.print(RepeatedLatency.slowdowns(slowdowns(of)));
        HostOutput.print(out, of);
        out.printf(
                "decision window p50 %s us, p99 %s us; in a run %,.0f decisions, %,.0f stale, %,.0f preemptions, %,.0f by the host%n",
                micros(of, r -> percentile(r.window(), 50)), micros(of, r -> percentile(r.window(), 99)),
                mean(of, r -> r.decisions().complete()), mean(of, r -> r.decisions().stale()),
                mean(of, r -> r.decisions().preemptions()), mean(of, r -> r.decisions().local()));
        out.printf("CPUs busy %.1f %%, agent busy %.1f %%; %,.0f scheduling events per second of real time%n",
                mean(of, SimResult::utilisation) * 100,
                mean(of, r -> busy(of, r) * 100),
                mean(of, SimResult::eventsPerSecond));
        background(of).forEach(one -> out.printf("%s: %s %% of the CPUs' time%n", one.name,
                of.estimate(one::share).times(100).text()));
        if (first.topology().sockets() > 1) {
            out.printf("%d sockets: %,d of %,d starts were of a task that ran on another one last%n",
                    first.topology().sockets(), of.sum(r -> r.decisions().crossings()),
                    of.sum(r -> r.decisions().switches()));
        }
        if (of.sum(r -> r.decisions().overflows()) > 0) {
            out.printf("%,d messages found the agent's channel full: it read the status words again each time%n",
                    of.sum(r -> r.decisions().overflows()));
        }
        how(out, of);
        troubles(out, of);
    }

    /** Cores that the agents of all hosts, or of all enclaves of one, run on. */
    private static int cores(PointRuns of, SimResult r) {
        return of.point().agentCores() * (of.point().part().equals("host") ? r.hosts() : 1);
    }

    /** The share of their time for which these are in rounds that find work. */
    private static double busy(PointRuns of, SimResult r) {
        return r.time().agentBusy() / (double) Math.max(1, r.lastNanos()) / cores(of, r);
    }

    private static void how(PrintWriter out, PointRuns of) {
        out.printf("%s; jobs that arrive in the first %.0f %% of a run are warm-up and not measured%n",
                of.results().size() == 1
                        ? "One run has no intervals"
                        : "Means of runs with a seed of their own, with their 95 % intervals (Student's t)",
                of.point().warmUp() * 100);
        if (!of.isSettled() && !of.isOverloaded()) {
            out.println(
                    "NOT SETTLED: later jobs take longer, or less long, than earlier ones; ask for more jobs= or warmup=");
        }
        PointRuns.Length length = of.length(of.results());
        if (of.results().size() > 1 && !of.isOverloaded() && length.factor(TAIL) > 1) {
            double jobs = of.results().getFirst().jobs().arrived() * length.factor(TAIL);
            double step = Math.pow(10, Math.floor(Math.log10(jobs)) - 1);
            out.printf("%s (jobs=%.0f)%n", length.shortFor(TAIL), Math.ceil(jobs / step) * step);
        }
    }

    private static void troubles(PrintWriter out, PointRuns of) {
        of.results().forEach(r -> r.incidents().forEach(incident -> out.println("incident: " + incident)));
        List<String> words = of.results().stream().flatMap(r -> r.waits().words().stream()).toList();
        words.stream().limit(SHOWN_STARVING).forEach(starves -> out.println("starvation: " + starves));
        long more = of.sum(r -> r.waits().starved()) - Math.min(SHOWN_STARVING, words.size());
        if (more > 0) {
            out.printf("starvation: and %,d more%n", more);
        }
    }

    private static String micros(PointRuns of, ToDoubleFunction<SimResult> nanos) {
        return of.estimate(nanos).times(1e-3).text();
    }

    private static double mean(PointRuns of, ToDoubleFunction<SimResult> figure) {
        return of.estimate(figure).mean();
    }
}
