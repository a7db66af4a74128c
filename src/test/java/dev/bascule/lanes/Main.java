package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The tests as {@code scripts/test} runs them: the default lanes, then those asked for; the models beside all others, and
 * beside each other what does not mind. Exit status 0: nothing failed; 2: a word on the command line means nothing.
 */
final class Main {
    private final Clone clone;
    private final Options options;
    private final Summary summary;
    private final MavenLanes maven;
    private final ForeignLanes foreign;
    private final MachineJvm machines;
    private final OnDemand onDemand;
    private final Map<String, String> environment = System.getenv();

    private Main(Clone clone, Options options, Summary summary) {
        this.clone = clone;
        this.options = options;
        this.summary = summary;
        this.maven = new MavenLanes(clone, options);
        this.machines = new MachineJvm(clone);
        this.onDemand = new OnDemand(clone);
        this.foreign = new ForeignLanes(clone, setting("CC", "cc"));
    }

    /** {@code CLONE MAVEN FINGERPRINT OPTION...}; the fingerprint is that of the sources that are tested. */
    public static void main(String[] arguments) throws IOException {
        Options options;
        try {
            options = Options.parse(List.of(arguments).subList(3, arguments.length).toArray(String[]::new));
        } catch (Options.UsageException e) {
            System.err.println("scripts/test: " + e.getMessage() + "; scripts/test --help lists what there is");
            System.exit(2);
            return;
        }
        Path base = Path.of(arguments[0]);
        Runtime.getRuntime().addShutdownHook(new Thread(Program::endAll));
        Clone clone = new Clone(base, base.resolve("target"), arguments[1], "");
        Summary summary = new Summary(System.out, clone.target().resolve("test-summary.txt"));
        long started = System.nanoTime();
        try {
            if (options.byTurns()) {
                clone = clone.atTurn();
                System.err.println("bascule: turn " + clone.turn()
                        + ": of tests of many long combinations a share is played; without --by-turns all are");
            }
            new Main(clone, options, summary).run(arguments[2]);
        } catch (InterruptedException e) {
            return; // Ctrl-C: the hook ends what runs, and what the lanes say of it means nothing
        }
        summary.require(options.mustRun());
        System.err.println("bascule: " + (System.nanoTime() - started) / 1_000_000_000 + " s");
        System.exit(summary.end());
    }

    private void run(String fingerprint) throws IOException, InterruptedException {
        try (ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> models = new ArrayList<>();
            Runnable startModels = () -> {
                if (options.wants("models") && models.isEmpty()) {
                    models.add(beside.submit(() -> lane("models", this::models)));
                }
            };
            boolean built = options.defaults()
                    ? defaults(fingerprint, startModels)
                    : clone.library("build", "build_tests_if_stale").echo().run("build", log -> "") == 0;
            if (built) {
                startModels.run();
            }
            if (options.defaults()) {
                afterTheTests(built, beside);
            }
            for (String name : Options.FURTHER) {
                if (!options.wants(name)) {
                    summary.add(notAskedFor(name));
                } else if (!built) {
                    summary.add(LaneResult.failed(name, "the build failed"));
                } else if (!name.equals("models")) {
                    further(name);
                }
            }
            if (!options.spin()) {
                summary.add(notAskedFor("spin"));
            }
            for (Future<?> one : models) {
                get(one);
            }
        }
    }

    private LaneResult notAskedFor(String lane) throws IOException {
        return LaneResult.skipped(lane, "not asked for: scripts/test --" + lane + onDemand.lastRan(lane));
    }

    private boolean defaults(String fingerprint, Runnable testsBegin) throws IOException, InterruptedException {
        for (String stamp : List.of("bascule.built", "tests.built")) {
            Files.deleteIfExists(clone.target().resolve(stamp));
        }
        // the optional C helper; its tests skip themselves by name without it, as they do without a compiler (status 2)
        Program helper = clone.program("native", List.of(clone.script("build-native").toString()));
        if (helper.run("build-native", log -> "compiling") == 1) {
            System.err.println("bascule: scripts/build-native failed, see " + helper.log());
        }
        List<LaneResult> results = new ArrayList<>();
        boolean built = maven.defaults(results, testsBegin);
        results.forEach(summary::add);
        return built && clone.library("built", "find_jdk; mark_built \"$1\"", fingerprint)
                .run("built", log -> "preparing the start-up cache") == 0;
    }

    private void afterTheTests(boolean built, ExecutorService beside) throws IOException, InterruptedException {
        if (!built) {
            for (String name : List.of("coverage", "format", "house", "reproduce", "jcstress")) {
                summary.add(LaneResult.skipped(name, "the build failed"));
            }
            return;
        }
        if (options.coverage()) {
            lane("coverage", () -> Coverage.of(clone.target().resolve("site/jacoco/jacoco.csv")));
        } else {
            summary.add(notAskedFor("coverage"));
        }
        together(beside, Map.of("format", maven::format, "house", this::house, "reproduce", maven::reproduce));
        // both actors by the same compiler; every pair of compilers (13 instead of 4 JVMs a test) is for --stress
        lane("jcstress",
                () -> StressLane.run(clone, "jcstress", "quick", setting("BASCULE_STRESS_MILLIS", "100"), "-iters",
                        "3", "-sc", "false"));
    }

    private LaneResult house() throws IOException, InterruptedException {
        Program house = clone.program("house", List.of(clone.script("house").toString(), "--check"));
        return house.run("house", log -> "counting concepts") == 0
                ? LaneResult.ran("house", "no concept above its ratchet")
                : LaneResult.failed("house", house.lastLine());
    }

    private LaneResult models() throws IOException, InterruptedException {
        clone.library("spin", "command -v spin >/dev/null || apt_install spin || true").run("models",
                log -> "looking for spin");
        return foreign.models(options.spin());
    }

    /** A lane that needs what a function of lib.sh finds or installs, or says why not. */
    private LaneResult needing(String name, String function, String what) throws IOException, InterruptedException {
        Program need = clone.library(name, function);
        return need.run(name, log -> "looking for " + what) == 0
                ? maven.tagged(name)
                : LaneResult.skipped(name, need.lastLine());
    }

    private LaneResult cosim() throws IOException, InterruptedException {
        Program need = clone.library("cosim-set-up", "need_cosim && \"$BASCULE_HOME/scripts/build-native\" cosim");
        return switch (need.run("cosim", log -> "compiling the design")) {
            case 0 -> maven.tagged("cosim");
            case 3 -> LaneResult.skipped("cosim", need.lastLine());
            default -> LaneResult.failed("cosim", "the design does not compile, see " + need.log());
        };
    }

    /** Commands that need what is missing here are left out and named; so all of that is only looked for. */
    private LaneResult pages() throws IOException, InterruptedException {
        clone.library("pages", "need_rpc || true; need_tshark || true; need_dpdk || true").run("pages",
                log -> "looking for rpcinfo, tshark and DPDK");
        return maven.tagged("pages");
    }

    private void further(String name) throws IOException, InterruptedException {
        switch (name) {
            case "lab" -> lane(name, new LabLane(clone, machines, name, setting("BASCULE_LAB_KERNEL", "debian"))::run);
            case "iommufd" -> lane(name, new LabLane(clone, machines, name, name)::run);
            case "kernel-6.12" -> lane(name, new LabLane(clone, machines, name, "6.12")::run);
            case "rdma" -> lane(name, new RdmaLane(clone, machines)::run);
            case "dpdk" -> {
                for (String release : foreign.dpdkReleases()) {
                    lane("dpdk-" + release, () -> foreign.dpdk(release));
                }
                lane(name, () -> needing(name, "need_dpdk", "DPDK"));
            }
            case "stress" -> {
                lane("jcstress-full", () -> StressLane.run(clone, "jcstress-full", "default",
                        setting("BASCULE_FULL_STRESS_MILLIS", "600")));
                lane(name, () -> maven.tagged(name));
            }
            case "web" -> lane(name, () -> needing(name, "need_web", "Chromium and promtool"));
            case "rpc" -> lane(name, () -> needing(name, "need_rpc", "rpcinfo"));
            case "captures" -> lane(name, () -> needing(name, "need_tshark", "tshark"));
            case "cosim" -> lane(name, this::cosim);
            case "pages" -> lane(name, this::pages);
            case "bare" -> lane(name, () -> foreign.bare(options.suite()));
            case "site" -> lane(name, () -> SiteLane.run(clone, maven));
            default -> lane(name, () -> maven.tagged(name));
        }
    }

    private String setting(String name, String otherwise) {
        return environment.getOrDefault(name, otherwise);
    }

    private void together(ExecutorService beside, Map<String, Callable<LaneResult>> lanes) throws InterruptedException {
        List<Future<?>> started = new ArrayList<>();
        lanes.forEach((name, lane) -> started.add(beside.submit(() -> lane(name, lane))));
        for (Future<?> one : started) {
            get(one);
        }
    }

    private static void get(Future<?> lane) throws InterruptedException {
        try {
            lane.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static String since(long started) {
        return ", in " + (System.nanoTime() - started) / 1_000_000_000 + " s";
    }

    /** Runs one lane and says how it ended and how long it took; one that throws has failed. */
    private Void lane(String name, Callable<LaneResult> lane) throws InterruptedException {
        long started = System.nanoTime();
        try {
            LaneResult result = lane.call();
            if (result.status() != LaneResult.Status.SKIPPED) {
                result = result.with(since(started), List.of());
                onDemand.note(name.equals("models") && options.spin() ? result.named("spin") : result);
            }
            summary.add(result);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) { // whatever it was, the other lanes still run and the lane is not silent
            summary.add(LaneResult.failed(name, e.toString()));
        }
        return null;
    }
}
