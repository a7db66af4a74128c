package dev.bascule.study.cli;

import dev.bascule.cli.CommandBase;
import dev.bascule.run.Errors;
import dev.bascule.run.Misuse;
import dev.bascule.run.OutputFile;
import dev.bascule.cli.PolicyOption;
import dev.bascule.cli.Range;
import dev.bascule.config.CostProfiles;
import dev.bascule.config.SmallFile;
import dev.bascule.study.experiment.PointRuns;
import dev.bascule.study.experiment.PointSpec;
import dev.bascule.study.report.ChromeTrace;
import dev.bascule.study.report.SimReport;
import dev.bascule.study.sim.SimExplanation;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimTrace;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
                + "wave-on-demand, swap0, swap1, swap-end, one-word, of which the last is over a coherent link; the four swaps also with -push: decisions in host memory, and one-word's word too, which the card reaches by AtomicOps), mix (published jobs; bimodal:SHARE:SHORT:LONG, as bimodal:0.995:4us:10ms; trace:FILE, a CSV file with arrival_us and service_us, for hints also expected_us and deadline_us; "
                + "rt-app:FILE, the threads of an rt-app file; chain: stages that wake each other; vm: virtual "
                + "machines), cpus, agents (each decides for CPUs of its own on a core of its own), enclaves (on one host and card, each with so many cpus, agents, and a load of its own), cores (that the agents share), hosts, balance (random, round-robin, "
                + "least-loaded, power-of-two), wire (from load balancer to host), load, "
                + "arrivals (poisson, bursts:SIZE, or onoff:ON:OFF, as onoff:1ms:9ms), "
                + "stages (as 3us:5us:2us), clients (0: open loop; else a closed one instead "
                + "of a load), think, residents (threads that stay beside the jobs: N, or as "
                + "2:class=255:nice=19:cpus=0-3:run=2ms:pause=1ms+1:nice=0; a class that policies see as batch work, "
                + "times means, without them CPU-bound), hints (about a job's CPU time: given by the load, exact, noisy:SIGMA or none), quantum (tenure for gang), "
                + "latency (one way; times have a unit or are ns), churn (per waiting task and us), staged, polling, siblings (2: SMT and turbo), sockets, "
                + "agent (profile, measured: its time on this machine), jobs (of a run), warmup (the part of a run whose jobs are not "
                + "measured), seed.",
        "Each figure is the mean of independent runs with its 95 %% interval (Student's t). Percentiles need ten jobs above "
                + "them in each run, p99.9 so 10,000." }, footer = { "", "Examples:",
                        "  bascule sim cpus=64 load=0.8 policy=shinjuku mix=ghost-rocksdb",
                        "  bascule sim policy=fifo load=0.8 mix=ghost-rocksdb --against policy=shinjuku --repeat 10",
                        "  bascule sim policy=shinjuku mix=high-bimodal jobs=5000 --report run.html",
                        "  bascule sim mix=ghost-rocksdb policy=shinjuku --repeat 10 --csv runs.csv",
                        "  bascule sim transport=on-host --trace run.json     # open in ui.perfetto.dev",
                        "  bascule sim --hosts 8 --balance power-of-two cpus=16 load=0.8",
                        "  bascule sim --enclaves 8 --cores 2 cpus=4 load=0.5",
                        "  bascule sim cpus=4096 agents=64 load=0.6 mix=chain stages=1000000:1000000 jobs=20000 --repeat 1",
                        "  bascule sim policy=gang mix=vm siblings=2 quantum=5000000 load=1",
                        "  bascule sim policy=fifo-per-cpu cpus=32 siblings=2 sockets=2 load=0.6",
                        "  bascule sim mix=bimodal:0.99:2us:200us policy=shinjuku quantum=10us cpus=4",
                        "  bascule sim mix=high-bimodal cpus=4 load=0.5 arrivals=bursts:16 --against arrivals=poisson",
                        "  bascule sim cpus=4 load=0.5 residents=4 policy=shinjuku-best-effort --against policy=cfs",
                        "  bascule sim mix=tpcc cpus=1 policy=sjf hints=exact --against hints=noisy:1",
                        "  bascule sim mix=chain stages=3us:5us:2us cpus=4 load=0.5",
                        "  bascule sim mix=exponential clients=40 think=50000 cpus=2",
                        "  bascule sim policy=round-robin mix=high-bimodal cpus=2 jobs=500 --why 3",
                        "  bascule sim seed=7 --record run.trace && bascule sim seed=7 --replay run.trace",
                        "  bascule sim policy=my.Sejf --policy-path sejf.jar mix=high-bimodal policy.weight=3",
                        "", "Exit status 1: it could not be run, --replay found a difference, or the agent failed." })
final class SimCommand extends CommandBase {
    private static final int MOST_EVENTS = 1 << 22;
    private static final int EVENT_BYTES = 16;

    @Parameters(arity = "0..*", paramLabel = "KEY=VALUE", description = "what differs from the defaults")
    private Map<String, String> given = new LinkedHashMap<>();

    @Option(names = "--costs", defaultValue = CostProfiles.DEFAULT, paramLabel = "NAME", description = "file of hw-configs/costs/ or a path; default ${DEFAULT-VALUE}")
    private String costs = CostProfiles.DEFAULT;

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PolicyOption.PATH)
    private List<Path> policyPath = List.of();

    @Range("1..1000")
    @Option(names = "--repeat", paramLabel = "N", description = "independent runs, each with a seed of its own; default "
            + PointRuns.REPEATS + ", with --record, --replay and --why 1")
    private int repeat;

    @Option(names = "--hosts", paramLabel = "N", description = "as hosts=N: so many hosts, each with a NIC, under one load balancer")
    private @Nullable String hosts;

    @Option(names = "--balance", paramLabel = "HOW", description = "as balance=HOW: random, round-robin, least-loaded or power-of-two; default random")
    private @Nullable String balance;

    @Option(names = "--enclaves", paramLabel = "N", description = "as enclaves=N: so many enclaves on one host and card, whose agents share cores and link")
    private @Nullable String enclaves;

    @Option(names = "--cores", paramLabel = "N", description = "as cores=N: so many cores that all agents share; default one each")
    private @Nullable String cores;

    @Option(names = "--against", paramLabel = "KEY=VALUE", description = "compare with the same point with another value, on the same seeds; may be given several times")
    private Map<String, String> against = new LinkedHashMap<>();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @OutputFile.AtEnd
    @Option(names = "--csv", paramLabel = "FILE", description = "write a line for each run and class")
    private @Nullable Path csv;

    @OutputFile.AtEnd
    @Option(names = "--report", paramLabel = "FILE", description = "write a page with latency, decision window and timeline")
    private @Nullable Path report;

    @OutputFile.AtEnd
    @Option(names = "--files", paramLabel = "DIR", description = "write the same as SVG, CSV and JSON files")
    private @Nullable Path files;

    @OutputFile.AtEnd
    @Option(names = "--trace", paramLabel = "FILE", description = "write a Perfetto/Chrome trace")
    private @Nullable Path traceFile;

    @Range("0..")
    @Option(names = "--why", paramLabel = "TASK", description = "say why this task waited and was preempted")
    private @Nullable Integer why;

    @OutputFile.AtEnd
    @Option(names = "--record", paramLabel = "FILE", description = "write down every event, byte for byte repeatable")
    private @Nullable Path record;

    @Option(names = "--replay", paramLabel = "FILE", description = "run again and compare with what was recorded; exit status 1 if it differs")
    private @Nullable Path replay;

    @Override
    public Integer call() throws IOException {
        same("hosts", hosts);
        same("balance", balance);
        same("enclaves", enclaves);
        same("cores", cores);
        PointSpec point = Misuse.reading("sim", () -> PointSpec.of(given, policyPath));
        PointSpec second = against.isEmpty() ? null : second(point);
        SimTrace trace = trace();
        if (trace != null) {
            alone(point, "hosts");
            alone(point, "enclaves");
        }
        byte[] recorded = replay == null ? null : SmallFile.read(replay, MOST_EVENTS * EVENT_BYTES); // before the run, not after it
        PointRuns runs = run(point, trace);
        PointRuns others = second == null ? null : run(second, null);
        SimOutput output = new SimOutput(costs, runs, others);
        PrintWriter out = out();
        if (json) {
            out.println(output.json());
        } else {
            output.print(out);
        }
        out.flush();
        if (csv != null) {
            SimOutput.csv(csv, costs, others == null ? List.of(runs) : List.of(runs, others));
        }
        int status = trace == null ? 0 : traces(out, trace, runs.results().getFirst(), recorded);
        if (trace != null) {
            report(output, trace);
        }
        out.flush();
        int failed = failed(runs) + (others == null ? 0 : failed(others));
        return failed == 0 ? status : Errors.FAILED;
    }

    private static void alone(PointSpec point, String key) {
        String number = point.values().getOrDefault(key, "1");
        if (!number.equals("1")) {
            throw new Misuse("sim: " + key + "=" + number + " with --trace, --report, --files, --record, "
                    + "--replay or --why: these are about one host with one enclave; leave " + key + " out");
        }
    }

    /** An option that is a key as well. */
    private void same(String key, @Nullable String value) {
        String other = value == null ? null : given.put(key, value);
        if (other != null && !other.equals(value)) {
            throw new Misuse("sim: --" + key + " " + value + " with " + key + "=" + other + ": leave one out");
        }
    }

    private PointSpec second(PointSpec point) {
        if (against.containsKey("seed")) {
            throw new Misuse("sim: --against seed=" + against.get("seed")
                    + ": both sides have the same seeds, so that they have the same jobs; leave it out");
        }
        return Misuse.reading("--against", () -> point.with(against));
    }

    private PointRuns run(PointSpec point, @Nullable SimTrace trace) {
        int repeats = repeat > 0 ? repeat : isPlain() ? 1 : PointRuns.REPEATS;
        return PointRuns.of(point, CostProfiles.load(costs), repeats, trace, RoundWatch.of(point, err()));
    }

    /** The host took the agent for dead at least once; the run itself is whole. Returns how often. */
    private int failed(PointRuns runs) {
        List<String> incidents = runs.results().stream().flatMap(r -> r.incidents().stream()).toList();
        if (!incidents.isEmpty()) {
            PrintWriter err = err();
            err.println("bascule: the agent failed " + incidents.size() + " times, first at " + incidents.getFirst()
                    + "; the built-in policy made " + runs.sum(r -> r.decisions().local()) + " decisions");
            err.flush();
        }
        return incidents.size();
    }

    /** Whether an option is given that is about one run alone. */
    private boolean isPlain() {
        return record != null || replay != null || why != null;
    }

    private @Nullable SimTrace trace() {
        if (isPlain()) {
            if (repeat > 1 || !against.isEmpty()) {
                throw new Misuse(
                        "sim: --record, --replay and --why are about one run; leave --repeat and --against out");
            }
            if (traceFile != null || report != null || files != null) {
                throw new Misuse(
                        "sim: --trace, --report and --files need a detailed trace, --record, --replay and --why "
                                + "a plain one; make two runs, the same seed gives the same run");
            }
            return new SimTrace(MOST_EVENTS);
        }
        return traceFile != null || report != null || files != null ? SimTrace.detailed(MOST_EVENTS) : null;
    }

    private void report(SimOutput output, SimTrace trace) throws IOException {
        PointRuns runs = output.runs();
        SimReport page = new SimReport(runs.point().toString(), runs.point().classNames(), runs.results().getFirst(),
                trace).withRepeats(output.latencies(runs), runs.estimate(SimResult::throughputPerSecond));
        if (report != null) {
            OutputFile.write(report, page.html());
        }
        if (files != null) {
            try {
                page.files(files);
            } catch (IOException e) {
                throw OutputFile.named(files, e);
            }
            OutputFile.write(files.resolve("result.json"), output.json().pretty());
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
}
