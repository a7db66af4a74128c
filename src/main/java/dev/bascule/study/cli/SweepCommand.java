package dev.bascule.study.cli;

import dev.bascule.cli.CommandBase;
import dev.bascule.cli.Main;
import dev.bascule.run.Misuse;
import dev.bascule.run.OutputFile;
import dev.bascule.cli.PolicyOption;
import dev.bascule.run.Progress;
import dev.bascule.cli.Range;
import dev.bascule.config.CostProfiles;
import dev.bascule.study.experiment.PointRuns;
import dev.bascule.study.experiment.PointSpec;
import dev.bascule.study.report.SweepReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Simulations over a grid, each point a process of its own. */
@Command(name = "sweep", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs 'bascule sim' over every combination of the given values, a process for each point, in parallel.",
        "Finished points are appended to a file of JSON lines at once; the same command resumes where it was "
                + "interrupted. With --index it runs one point: for Slurm arrays and Kubernetes indexed jobs." }, footer = {
                        "", "Examples:",
                        "  bascule sweep cpus=4,16,64 load=0.3,0.6,0.9 transport=on-host,wave --out sweep.jsonl",
                        "  bascule sweep load=0.1,0.3,0.5,0.7,0.9 policy=fifo,shinjuku mix=ghost-rocksdb --report sweep.html",
                        "  bascule sweep policy=shinjuku policy.quantum=10us,30us,100us mix=ghost-rocksdb load=0.5,0.8",
                        "  bascule sweep clients=1,4,16,64,256 think=50000 mix=exponential cpus=4 --report closed.html",
                        "  bascule sweep mix=chain stages=3000:5000:2000,1000:1000 load=0.3,0.6",
                        "  bascule sweep load=0.3,0.6,0.9 policy=fifo,shinjuku mix=high-bimodal --csv sweep.csv",
                        "  bascule sweep latency=50,500,5000 churn=0,0.01 --count",
                        "  bascule sweep cpus=4,16 load=0.5 --index 1 --out point-1.jsonl",
                        "  sbatch --array=0-8 scripts/cluster/sweep.slurm cpus=4,16,64 load=0.3,0.6,0.9" })
final class SweepCommand extends CommandBase {
    @Parameters(arity = "1..*", paramLabel = "KEY=V1,V2,...", description = "axes; keys as for 'bascule sim'")
    private Map<String, String> axes = new LinkedHashMap<>();

    @Option(names = "--out", defaultValue = "sweep.jsonl", paramLabel = "FILE", description = "results, a JSON line for each point; default ${DEFAULT-VALUE}")
    private Path out = Path.of("sweep.jsonl");

    @Option(names = "--costs", defaultValue = CostProfiles.DEFAULT, paramLabel = "NAME", description = "file of hw-configs/costs/ or a path; default ${DEFAULT-VALUE}")
    private String costs = CostProfiles.DEFAULT;

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PolicyOption.PATH)
    private List<Path> policyPath = List.of();

    @Range("1..1024")
    @Option(names = "--parallel", paramLabel = "N", description = "points at the same time; default: number of cores")
    private int parallel;

    @Range("1..1000")
    @Option(names = "--repeat", defaultValue = ""
            + PointRuns.REPEATS, paramLabel = "N", description = "independent runs of a point, each with a seed of its own; default ${DEFAULT-VALUE}")
    private int repeat = PointRuns.REPEATS;

    @OutputFile.AtEnd
    @Option(names = "--csv", paramLabel = "FILE", description = "write a line for each run and class")
    private @Nullable Path csv;

    @OutputFile.AtEnd
    @Option(names = "--report", paramLabel = "FILE", description = "write a page with latency against load of all points")
    private @Nullable Path report;

    @Range("0..")
    @Option(names = "--index", paramLabel = "N", description = "run only point N, counted from 0, in this process")
    private @Nullable Integer index;

    @Option(names = "--count", description = "print the number of points and stop")
    private boolean count;

    @Override
    public Integer call() throws Exception {
        SweepGrid grid = SweepGrid.of(axes, policyPath);
        PrintWriter print = out();
        if (count) {
            print.println(grid.points().size());
            print.flush();
            return 0;
        }
        CostProfiles.load(costs);
        SweepResults results = SweepResults.open(out, costs, repeat);
        if (index != null) {
            return one(grid, index, results);
        }
        List<PointSpec> missing = grid.points().stream().filter(p -> !results.holds(p.toString())).toList();
        Progress progress = new Progress(System.err);
        progress.say(missing.size() + " of " + grid.points().size() + " points to run");
        int failed = all(missing, results, progress);
        print.println(grid.points().size() - failed + " of " + grid.points().size() + " points are in " + out);
        print.flush();
        if (csv != null) {
            try (Stream<String> rows = Files.lines(out)) {
                SimOutput.csv(csv, rows.map(SweepResults::row));
            }
        }
        if (report != null) {
            OutputFile.write(report, SweepReport.html(SweepCurves.read(out)));
        }
        return failed == 0 ? 0 : 1;
    }

    private int one(SweepGrid grid, int which, SweepResults results) throws IOException {
        if (which < 0 || which >= grid.points().size()) {
            throw new Misuse("--index " + which + ": the grid has points 0 to " + (grid.points().size() - 1));
        }
        PointSpec point = grid.points().get(which);
        if (!results.holds(point.toString())) {
            results.add(new SimOutput(costs,
                    PointRuns.of(point, CostProfiles.load(costs), repeat, null, UnaryOperator.identity()), null).json()
                    .toString());
        }
        return 0;
    }

    private int all(List<PointSpec> missing, SweepResults results, Progress progress) throws Exception {
        int most = parallel > 0 ? parallel : Runtime.getRuntime().availableProcessors();
        int failed = 0;
        try (ExecutorService pool = Executors.newFixedThreadPool(most)) {
            List<Future<String>> rows = new ArrayList<>();
            for (PointSpec point : missing) {
                rows.add(pool.submit(() -> keep(point, results)));
            }
            for (int i = 0; i < rows.size(); i++) {
                try {
                    progress.say((i + 1) + "/" + rows.size() + " " + rows.get(i).get());
                } catch (ExecutionException e) {
                    failed++;
                    progress.say((i + 1) + "/" + rows.size() + " FAILED " + missing.get(i) + ": "
                            + e.getCause());
                } catch (InterruptedException e) {
                    pool.shutdownNow();
                    throw e;
                }
            }
        }
        return failed;
    }

    private String keep(PointSpec point, SweepResults results) throws IOException, InterruptedException {
        if (results.holdsNow(point.toString())) {
            return point + " (by another sweep)";
        }
        List<String> command = new ArrayList<>(command());
        command.addAll(List.of("sim", "--json", "--repeat", Integer.toString(repeat), "--costs", costs));
        point.policyPath().forEach(place -> command.addAll(List.of("--policy-path", place.toString())));
        point.values().forEach((key, value) -> command.add(key + "=" + value));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            String row = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int status = process.waitFor();
            if (status != 0 && !row.startsWith("{")) { // with a row: the run is whole, its agent failed
                throw new IOException("its process ended with status " + status);
            }
            results.add(row);
            return point.toString();
        } finally {
            process.destroyForcibly();
        }
    }

    /** This very program. */
    private static List<String> command() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "-XX:+UseSerialGC",
                "-Djava.util.concurrent.ForkJoinPool.common.parallelism=0"));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Main.class.getName()));
        return command;
    }
}
