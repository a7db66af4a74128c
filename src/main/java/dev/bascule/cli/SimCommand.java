package dev.bascule.cli;

import dev.bascule.config.CostProfiles;
import dev.bascule.config.SmallFile;
import dev.bascule.host.sim.SimExplanation;
import dev.bascule.host.sim.SimResult;
import dev.bascule.host.sim.SimTrace;
import dev.bascule.host.sim.TimeHistogram;
import dev.bascule.json.Json;
import dev.bascule.report.ChromeTrace;
import dev.bascule.report.SimReport;
import dev.bascule.workload.experiment.PointSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One run of the simulated host. */
@Command(name = "sim", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs a policy on the simulated host: any number of CPUs, virtual time, the same agents and transports as live.",
        "A run is described by KEY=VALUE; keys: policy (a name of 'bascule policies', or the full name of your own class), "
                + "policy.NAME (its option NAME), "
                + "transport (on-host, wave, wave-push, "
                + "wave-on-demand, swap0, swap1), mix (published jobs; chain: stages that wake each other; vm: virtual "
                + "machines), cpus, load, stages (ns, as 3000:5000:2000), clients (0: open loop; else a closed one instead "
                + "of a load), think (ns), quantum (ns; tenure for gang), "
                + "latency (one way, ns), churn (per waiting task and us), staged, polling, siblings (2: SMT and turbo), sockets, "
                + "agent (profile, measured: its time on this machine), jobs, seed." }, footer = { "", "Examples:",
                        "  bascule sim cpus=64 load=0.8 policy=shinjuku mix=ghost-rocksdb",
                        "  bascule sim policy=shinjuku mix=high-bimodal jobs=5000 --report run.html",
                        "  bascule sim transport=on-host --trace run.json     (open in ui.perfetto.dev)",
                        "  bascule sim policy=gang mix=vm siblings=2 quantum=5000000 load=1",
                        "  bascule sim policy=fifo-per-cpu cpus=32 siblings=2 sockets=2 load=0.6",
                        "  bascule sim mix=chain stages=3000:5000:2000 cpus=4 load=0.5",
                        "  bascule sim mix=exponential clients=40 think=50000 cpus=2",
                        "  bascule sim policy=round-robin mix=high-bimodal cpus=2 jobs=500 --why 3",
                        "  bascule sim seed=7 --record run.trace && bascule sim seed=7 --replay run.trace",
                        "  bascule sim policy=my.Sejf --policy-path sejf.jar mix=high-bimodal policy.weight=3",
                        "", "Exit status 1: it could not be run, --replay found a difference, or the agent failed." })
final class SimCommand extends CommandBase {
    private static final int MOST_EVENTS = 1 << 22;
    private static final int EVENT_BYTES = 16;
    private static final int SHOWN_STARVING = 5;

    @Parameters(arity = "0..*", paramLabel = "KEY=VALUE", description = "what differs from the defaults")
    private Map<String, String> given = new LinkedHashMap<>();

    @Option(names = "--costs", defaultValue = CostProfiles.DEFAULT, paramLabel = "NAME", description = "file of hw-configs/costs/ or a path; default ${DEFAULT-VALUE}")
    private String costs = CostProfiles.DEFAULT;

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PolicyOption.PATH)
    private List<Path> policyPath = List.of();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Option(names = "--report", paramLabel = "FILE", description = "write a page with latency, decision window and timeline")
    private @Nullable Path report;

    @Option(names = "--files", paramLabel = "FOLDER", description = "write the same as SVG, CSV and JSON files")
    private @Nullable Path files;

    @Option(names = "--trace", paramLabel = "FILE", description = "write a Perfetto/Chrome trace")
    private @Nullable Path traceFile;

    @Option(names = "--why", paramLabel = "TASK", description = "say why this task waited and was preempted")
    private @Nullable Integer why;

    @Option(names = "--record", paramLabel = "FILE", description = "write down every event, byte for byte repeatable")
    private @Nullable Path record;

    @Option(names = "--replay", paramLabel = "FILE", description = "run again and compare with what was recorded; exit status 1 if it differs")
    private @Nullable Path replay;

    @Override
    public Integer call() throws IOException {
        PointSpec point = PointSpec.of(given, policyPath);
        SimTrace trace = trace();
        byte[] recorded = replay == null ? null : SmallFile.read(replay, MOST_EVENTS * EVENT_BYTES); // before the run, not after it
        SimResult result = run(point, trace);
        PrintWriter out = out();
        if (json) {
            out.println(json(point, costs, result));
        } else {
            print(out, point, result);
        }
        int status = trace == null ? 0 : traces(out, trace, result, recorded);
        if (trace != null) {
            report(point, trace, result);
        }
        out.flush();
        return result.incidents().isEmpty() ? status : failed(result);
    }

    private SimResult run(PointSpec point, @Nullable SimTrace trace) {
        if (!point.isOwnPolicy()) {
            return point.run(CostProfiles.load(costs), trace);
        }
        RoundWatch watch = new RoundWatch();
        watch.start(why -> {
            err().println("bascule: " + point.values().get("policy") + ": " + why);
            err().flush();
            Runtime.getRuntime().exit(Errors.FAILED); // its thread cannot be ended
        });
        return point.run(CostProfiles.load(costs), trace, watch::around);
    }

    /** The host took the agent for dead at least once; the run itself is whole. */
    private int failed(SimResult result) {
        PrintWriter err = err();
        err.println("bascule: the agent failed " + result.incidents().size() + " times, first at "
                + result.incidents().get(0) + "; the built-in policy made " + result.decisions().local()
                + " decisions");
        err.flush();
        return Errors.FAILED;
    }

    private @Nullable SimTrace trace() {
        if (record != null || replay != null || why != null) {
            if (traceFile != null || report != null || files != null) {
                throw new Failure(
                        "sim: --trace, --report and --files need a detailed trace, --record, --replay and --why "
                                + "a plain one; make two runs, the same seed gives the same run");
            }
            return new SimTrace(MOST_EVENTS);
        }
        return traceFile != null || report != null || files != null ? SimTrace.detailed(MOST_EVENTS) : null;
    }

    private void report(PointSpec point, SimTrace trace, SimResult result) throws IOException {
        SimReport page = new SimReport(point.toString(), point.classNames(), result, trace);
        if (report != null) {
            OutputFile.write(report, page.html());
        }
        if (files != null) {
            try {
                page.files(files);
            } catch (IOException e) {
                throw OutputFile.named(files, e);
            }
            OutputFile.write(files.resolve("result.json"), json(point, costs, result).pretty());
        }
    }

    private int traces(PrintWriter out, SimTrace trace, SimResult result, byte @Nullable [] recorded)
            throws IOException {
        if (trace.isFull()) {
            out.println("Note: the trace keeps the first " + MOST_EVENTS + " events");
        }
        if (traceFile != null) {
            try (Writer file = Files.newBufferedWriter(traceFile)) {
                ChromeTrace.write(trace, result.topology(), file);
            } catch (IOException e) {
                throw OutputFile.named(traceFile, e);
            }
        }
        if (why != null) {
            SimExplanation.of(trace, result.cpus(), why).forEach(out::println);
        }
        if (record != null) {
            OutputFile.write(record, trace.bytes());
        }
        return recorded == null ? 0 : compare(out, trace, recorded);
    }

    private int compare(PrintWriter out, SimTrace trace, byte[] recorded) {
        int at = java.util.Arrays.mismatch(trace.bytes(), recorded);
        if (at < 0) {
            out.println("replay: the same " + trace.size() + " events, byte for byte");
            return 0;
        }
        int event = at / EVENT_BYTES;
        out.println("replay: differs from event " + event + " on"
                + (event < trace.size() ? "; now: " + trace.line(event) : "; the record goes on")
                + ". Record and replay need the same release, cost profile and KEY=VALUEs");
        return 1;
    }

    /** The row of a sweep as well. */
    static Json.Obj json(PointSpec point, String costs, SimResult r) {
        TimeHistogram all = r.allSojourns();
        return Json.object().put("version", 1).put("simulated", true).put("point", point.toString())
                .put("spec", Json.object(point.values()))
                .put("costProfile", costs).put("throughputPerSecond", r.throughputPerSecond())
                .put("overloaded", r.isOverloaded()).put("jobs", r.jobs().arrived()).put("done", r.jobs().finished())
                .put("rejected", r.jobs().rejected()).put("p50Nanos", all.percentile(50))
                .put("p99Nanos", all.percentile(99)).put("p999Nanos", all.percentile(99.9))
                .put("slowdownP999", r.slowdown().percentile(99.9) / 100.0).put("windowP50Nanos",
                        r.window().percentile(50))
                .put("windowP99Nanos", r.window().percentile(99)).put("utilisation", r.utilisation())
                .put("cpusOfWork", r.time().work() / (double) Math.max(1, r.lastNanos()))
                .put("decisions", r.decisions().complete()).put("stale", r.decisions().stale())
                .put("preemptions", r.decisions().preemptions()).put("crossings", r.decisions().crossings())
                .put("local", r.decisions().local()).put("overflows", r.decisions().overflows())
                .put("agentBusyNanos", r.time().agentBusy()).put("hostReads", r.bus().hostReads())
                .put("hostWrites", r.bus().hostWrites()).put("littleErrorNanos", r.littleErrorNanos())
                .put("longestWaitNanos", r.waits().longestNanos()).put("starved", r.waits().starved())
                .put("incidents", r.incidents().size()).put("classes", Json.array(classes(point, r),
                        one -> Json.object().put("name", one.name()).put("count", one.times().count())
                                .put("p50Nanos", one.times().percentile(50)).put("p99Nanos",
                                        one.times().percentile(99))
                                .put("p999Nanos", one.times().percentile(99.9))));
    }

    /** What the jobs of one class took. */
    private record ClassTimes(String name, TimeHistogram times) {}

    private static List<ClassTimes> classes(PointSpec point, SimResult r) {
        List<String> names = point.classNames();
        return IntStream.range(0, names.size()).mapToObj(i -> new ClassTimes(names.get(i), r.sojourn().get(i)))
                .toList();
    }

    private static void print(PrintWriter out, PointSpec point, SimResult r) {
        TimeHistogram all = r.allSojourns();
        out.println("SIMULATED: " + point);
        out.printf("%,d jobs, %,.0f per second%s; latency p50 %.1f us, p99 %.1f us, p99.9 %.1f us%n",
                r.jobs().finished(), r.throughputPerSecond(), r.isOverloaded() ? " (OVERLOADED)" : "",
                all.percentile(50) / 1e3, all.percentile(99) / 1e3, all.percentile(99.9) / 1e3);
        List<ClassTimes> classes = classes(point, r);
        for (ClassTimes one : classes.size() > 1 ? classes : List.<ClassTimes>of()) {
            out.printf("  %s: %,d jobs; latency p50 %.1f us, p99 %.1f us, p99.9 %.1f us%n", one.name(),
                    one.times().count(), one.times().percentile(50) / 1e3, one.times().percentile(99) / 1e3,
                    one.times().percentile(99.9) / 1e3);
        }
        out.printf(
                "decision window p50 %.2f us, p99 %.2f us; %,d decisions, %,d stale, %,d preemptions, %,d by the host%n",
                r.window().percentile(50) / 1e3, r.window().percentile(99) / 1e3, r.decisions().complete(),
                r.decisions().stale(), r.decisions().preemptions(), r.decisions().local());
        out.printf("CPUs busy %.1f %%, agent busy %.1f %%; %,.0f scheduling events per second of real time%n",
                r.utilisation() * 100, r.time().agentBusy() * 100.0 / Math.max(1, r.lastNanos()), r.eventsPerSecond());
        if (r.topology().sockets() > 1) {
            out.printf("%d sockets: %,d of %,d starts were of a task that ran on another one last%n",
                    r.topology().sockets(), r.decisions().crossings(), r.decisions().switches());
        }
        if (r.decisions().overflows() > 0) {
            out.printf("%,d messages found the agent's channel full: it read the status words again each time%n",
                    r.decisions().overflows());
        }
        r.incidents().forEach(incident -> out.println("incident: " + incident));
        r.waits().words().stream().limit(SHOWN_STARVING).forEach(starves -> out.println("starvation: " + starves));
        if (r.waits().starved() > SHOWN_STARVING) {
            out.printf("starvation: and %,d more%n", r.waits().starved() - SHOWN_STARVING);
        }
    }
}
