package dev.bascule.study.cli;

import dev.bascule.agent.Agent;
import dev.bascule.cli.CommandBase;
import dev.bascule.run.Failure;
import dev.bascule.cli.Main;
import dev.bascule.run.Misuse;
import dev.bascule.cli.OneOf;
import dev.bascule.cli.PolicyOption;
import dev.bascule.run.OutputFile;
import dev.bascule.run.Progress;
import dev.bascule.cli.Range;
import dev.bascule.run.Transports;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.host.TimeHistogram;
import dev.bascule.json.Json;
import dev.bascule.registry.PolicySpec;
import dev.bascule.report.Estimate;
import dev.bascule.report.Numbers;
import dev.bascule.report.Table;
import dev.bascule.study.experiment.PointRuns;
import dev.bascule.study.experiment.PointSpec;
import dev.bascule.study.experiment.Tuning;
import dev.bascule.study.report.RepeatedLatency;
import dev.bascule.study.sim.SimResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Search for the values of a point's keys that make a figure small. */
@Command(name = "tune", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Looks on the simulated host for the values of some keys that make a latency small, as options of a policy.",
        "Keys are those of 'bascule sim'. One that is a range (5us..500us) or several values (fifo,cfs) is looked for: "
                + "candidates race on the same seeds, and those clearly behind leave. The winner is then compared "
                + "on other seeds, in pairs, with what is: a range's key left out, and the first of several values. "
                + "Only a difference whose 95 %% interval leaves out 0 is called better." }, footer = { "", "Examples:",
                        "  bascule tune policy=shinjuku mix=ghost-rocksdb cpus=4 load=0.8 quantum=5us..500us",
                        "  bascule tune policy=cfs mix=high-bimodal cpus=2 policy.latency=1ms..20ms --goal p50",
                        "  bascule tune policy=fifo,cfs,shinjuku mix=high-bimodal --goal mean --class short",
                        "  bascule tune policy=my.Sejf --policy-path sejf.jar mix=high-bimodal policy.weight=1..50",
                        "  bascule tune policy=shinjuku mix=high-bimodal cpus=1 load=0.5 quantum=5us..500us --live 5",
                        "",
                        "Exit status 0 also if nothing better was found; 1: it could not be run, or live runs failed." })
final class TuneCommand extends CommandBase {
    /** Beginning of the key of a policy's option. */
    private static final String OPTION = "policy.";
    private static final double SEARCH = 0.7;
    private static final int SHOWN = 5;
    /** Keys of what is to be done. */
    private static final Set<String> WORK = Set.of("mix", "load", "jobs", "warmup", "seed", "clients", "think",
            "stages", "hosts", "arrivals");
    /** Keys that have a live form, or are of no account there. */
    private static final Set<String> LIVE = Set.of("policy", "transport", "mix", "cpus", "agents", "load", "quantum",
            "jobs", "warmup", "seed");

    @Parameters(arity = "1..*", paramLabel = "KEY=VALUE", description = "the point; a range or several values of a key are looked for")
    private Map<String, String> given = new LinkedHashMap<>();

    @OneOf({ "mean", "p50", "p99", "p99.9" })
    @Option(names = "--goal", defaultValue = "p99", paramLabel = "FIGURE", description = "latency to make small: mean, p50, p99 or p99.9; default ${DEFAULT-VALUE}")
    private String goal = "p99";

    @Option(names = "--class", paramLabel = "NAME", description = "of jobs of this class; default: of all")
    private @Nullable String kind;

    @Range("1..86400")
    @Option(names = "--seconds", defaultValue = "60", paramLabel = "N", description = "time for all simulations together, of which the last race and the comparison may take "
            + "some more; default ${DEFAULT-VALUE}")
    private int seconds = 60;

    @Range("2..1000")
    @Option(names = "--repeat", defaultValue = "10", paramLabel = "N", description = "pairs of runs of the comparison; default ${DEFAULT-VALUE}")
    private int repeat = 10;

    @Option(names = "--costs", defaultValue = CostProfiles.DEFAULT, paramLabel = "NAME", description = "file of hw-configs/costs/ or a path; default ${DEFAULT-VALUE}")
    private String costs = CostProfiles.DEFAULT;

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PolicyOption.PATH)
    private List<Path> policyPath = List.of();

    @Range("1..1000")
    @Option(names = "--live", paramLabel = "N", description = "if it is better, then compare both live as well, in N pairs ('bascule run')")
    private int live;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @OutputFile.AtEnd
    @Option(names = "--csv", paramLabel = "FILE", description = "write a line for each run and class of the comparison")
    private @Nullable Path csv;

    @Override
    public Integer call() throws IOException {
        List<Tuning.Axis> axes = new ArrayList<>();
        Map<String, String> plain = new LinkedHashMap<>();
        given.forEach((key, value) -> {
            if (!Tuning.Axis.isOne(value)) {
                plain.put(key, value);
                return;
            }
            Tuning.Axis axis = Misuse.reading("tune: " + key, () -> Tuning.Axis.of(key, value));
            axes.add(axis);
            if (axis.range() == null) {
                plain.put(key, axis.values().getFirst());
            }
        });
        PointSpec point = Misuse.reading("tune", () -> PointSpec.of(plain, policyPath));
        check(point, axes);
        Goal figure = new Goal(goal, kind, point.classNames().indexOf(kind));
        CostProfile profile = CostProfiles.load(costs);
        UnaryOperator<Agent> around = RoundWatch.of(point, err());
        Progress progress = new Progress(System.err);
        Tuning tuning = tuning(axes, progress, point.isParallel(),
                (values, number) -> figure.of(point.with(values).repeat(number).run(profile, null, around)));
        Map<String, String> best = best(tuning, point);
        PointSpec tuned = point.with(best);
        Map<String, String> fresh = Map.of("seed", other(point.values().getOrDefault("seed", "1")));
        progress.say("comparing " + words(best) + " with what is, in " + repeat + " pairs of runs");
        Compared compared = new Compared(figure, PointRuns.of(point.with(fresh), profile, repeat, null, around),
                PointRuns.of(tuned.with(fresh), profile, repeat, null, around));
        if (json) {
            out().println(json(tuning, best, compared));
        } else {
            print(tuning, best, compared, words(plain), words(fresh));
        }
        out().flush();
        if (csv != null) {
            SimOutput.csv(csv, costs, List.of(compared.before(), compared.after()));
        }
        return live == 0 || !compared.isBetter() ? 0 : live(liveWords(point, tuned, live), progress);
    }

    private void check(PointSpec point, List<Tuning.Axis> axes) {
        if (axes.isEmpty()) {
            throw new Misuse("tune: no key has a range or several values, as quantum=5us..500us; "
                    + "for one point: bascule sim");
        }
        for (Tuning.Axis axis : axes) {
            if (WORK.contains(axis.key())) {
                throw new Misuse("tune: " + axis.key() + "=" + given.get(axis.key())
                        + ": that is other work, and says nothing of how it is done; bascule sweep plays several");
            }
            axis.values().forEach(value -> Misuse.reading("tune", () -> point.with(Map.of(axis.key(), value))));
        }
        if (kind != null && !point.classNames().contains(kind)) {
            throw new Misuse("--class " + kind + ": the classes of mix=" + point.values().get("mix") + " are "
                    + String.join(", ", point.classNames()));
        }
        if (live > 0) {
            liveWords(point, point.with(last(axes)), live);
        }
    }

    private Tuning tuning(List<Tuning.Axis> axes, Progress progress, boolean isParallel, Tuning.Trial trial) {
        Tells tells = new Tells(progress);
        long until = System.nanoTime() + Math.round(seconds * 1e9 * SEARCH);
        return Misuse.reading("tune", () -> new Tuning(axes, (values, number) -> {
            double found = trial.of(values, number);
            tells.run(values, number);
            return found;
        }, isParallel, () -> System.nanoTime() < until, progress::say));
    }

    private Map<String, String> best(Tuning tuning, PointSpec point) {
        try {
            return tuning.search().values();
        } catch (IllegalStateException e) {
            throw new Failure("tune: " + e.getMessage() + ": a run has too few jobs for its " + goal + " (jobs=N, now "
                    + point.values().get("jobs") + "), or more load= than can be done", e);
        }
    }

    private Json.Obj json(Tuning tuning, Map<String, String> best, Compared compared) {
        return Json.object().put("version", 1).put("simulated", true).put("goal", goal).put("class", kind)
                .put("best", Json.object(best)).put("better", compared.isBetter())
                .put("difference", compared.gain().json()).put("settled", compared.isSettled())
                .put("candidates", Json.array(tuning.tried(), one -> Json.object()
                        .put("values", Json.object(one.values())).put("runs", one.figures().size())
                        .putFigure("meanNanos", Estimate.of(one.figures()).mean(), true)))
                .put("comparison", new SimOutput(costs, compared.before(), compared.after()).json());
    }

    private void print(Tuning tuning, Map<String, String> best, Compared compared, String plain, String fresh) {
        PrintWriter out = out();
        out.println("SIMULATED: " + compared.goal().text() + ", " + plain + ", costs " + costs);
        Table table = new Table(1, "best of " + tuning.tried().size(), "mean of a race (us)", "runs");
        tuning.tried().stream().filter(one -> !one.figures().isEmpty())
                .sorted(Comparator.comparingDouble(one -> Estimate.of(one.figures()).mean())).limit(SHOWN)
                .forEach(one -> table.row(words(one.values()), Numbers.digits(Estimate.of(one.figures()).mean() / 1e3),
                        Integer.toString(one.figures().size())));
        out.print(table.render());
        out.println(words(best) + ": on " + repeat + " other seeds " + compared.verdict());
        out.println("Repeat: bascule sim " + (plain + " " + fresh).strip() + " --repeat " + repeat + " --against "
                + words(best).replace(" ", " --against "));
    }

    /**
     * Winner beside what is, on the same seeds.
     *
     * @param before of what is
     * @param after of the winner
     */
    private record Compared(Goal goal, PointRuns before, PointRuns after) {
        Estimate gain() {
            return Estimate.ofPairs(before.each(goal::of), after.each(goal::of));
        }

        boolean isBetter() {
            return gain().high() < 0;
        }

        /** Whether the runs are long beside what their queues remember. */
        boolean isSettled() {
            return Math.max(goal.factor(before), goal.factor(after)) <= 1;
        }

        String verdict() {
            Estimate gain = gain();
            return String.format(Locale.ROOT, "%s us (%+.0f %%): %s%s", gain.times(1e-3).text(),
                    100 * gain.mean() / before.estimate(goal::of).mean(),
                    isBetter()
                            ? "better than what is"
                            : gain.excludes(0) ? "worse than what is, keep that" : "not distinguishable from what is",
                    isSettled() ? "" : ", in runs of this length, short beside the queue's memory: ask for more jobs=");
        }
    }

    private static Map<String, String> last(List<Tuning.Axis> axes) {
        return axes.stream().collect(Collectors.toMap(Tuning.Axis::key, axis -> axis.values().getLast()));
    }

    private static String words(Map<String, String> values) {
        return values.entrySet().stream().map(one -> one.getKey() + "=" + one.getValue())
                .collect(Collectors.joining(" "));
    }

    /** A seed whose repeats are others than those of the search. */
    private static String other(String seed) {
        return Integer.toString(new SplittableRandom(Long.parseLong(seed) + 0x7e57L).nextInt(1 << 30));
    }

    /** Progress for a user who waits, every two seconds. */
    private static final class Tells {
        private final Progress progress;
        private final AtomicLong said = new AtomicLong(System.nanoTime());
        private final AtomicLong runs = new AtomicLong();

        Tells(Progress progress) {
            this.progress = progress;
        }

        void run(Map<String, String> values, int number) {
            long run = runs.incrementAndGet();
            long last = said.get();
            if (System.nanoTime() - last > 2_000_000_000L && said.compareAndSet(last, System.nanoTime())) {
                progress.say(run + " runs, the last was run " + number + " of " + words(values));
            }
        }
    }

    /**
     * Figure that is to become small.
     *
     * @param name of the figure
     * @param kind class of jobs; null: all
     * @param number of the class
     */
    private record Goal(String name, @Nullable String kind, int number) {
        private double percent() {
            return name.equals("mean") ? 50 : Double.parseDouble(name.substring(1));
        }

        private double of(SimResult run) {
            if (run.isOverloaded()) {
                return Double.NaN; // its latency is the run's length
            }
            TimeHistogram times = kind == null ? run.allSojourns() : run.sojourn().get(number);
            return name.equals("mean")
                    ? times.count() == 0 ? Double.NaN : times.mean()
                    : RepeatedLatency.percentiles(List.of(times), percent()).getFirst();
        }

        private double factor(PointRuns runs) {
            return runs.length(runs.results()).factor(percent());
        }

        private String text() {
            return name + " of " + (kind == null ? "all jobs" : "'" + kind + "'");
        }
    }

    /** The command that compares two points live. */
    private static List<String> liveWords(PointSpec before, PointSpec after, int pairs) {
        Map<String, String> values = before.values();
        values.forEach((key, value) -> {
            if (!LIVE.contains(key) && !key.startsWith(OPTION) && !value.equals(PointSpec.DEFAULTS.get(key))) {
                throw new Misuse("--live: " + key + "=" + value + " has no live form; leave one out");
            }
        });
        String transport = values.getOrDefault("transport", "");
        if (!Transports.NAMES.contains(transport)) {
            throw new Misuse(
                    "--live: transport=" + transport + ": live there are " + String.join(", ", Transports.NAMES)
                            + "; leave one out");
        }
        List<String> words = new ArrayList<>(List.of("run", "--quick", "--report", "none", "--workload", "spin",
                "--repeat", Integer.toString(pairs), "--mix", values.getOrDefault("mix", ""), "--cpus",
                values.getOrDefault("cpus", ""), "--agents", values.getOrDefault("agents", ""), "--load",
                values.getOrDefault("load", ""), "--transport", transport));
        before.policyPath().forEach(path -> words.addAll(List.of("--policy-path", path.toString())));
        PolicySpec now = before.policy();
        PolicySpec tuned = after.policy();
        words.addAll(List.of("--policy", "now=" + now.name() + ",tuned=" + tuned.name()));
        now.options().forEach((key, value) -> words.addAll(List.of("--policy-option", "now." + key + "=" + value)));
        tuned.options().forEach((key, value) -> words.addAll(List.of("--policy-option", "tuned." + key + "=" + value)));
        return words;
    }

    private static int live(List<String> words, Progress progress) {
        progress.say("live: bascule " + String.join(" ", words));
        return Main.execute(Main.commandLine(words.toArray(String[]::new)), words.toArray(String[]::new));
    }
}
