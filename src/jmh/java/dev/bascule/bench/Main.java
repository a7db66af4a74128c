package dev.bascule.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** {@code scripts/bench}: measures all or some rows and prints a table or one JSON document. */
public final class Main {
    private static final String USAGE = """
            scripts/bench [--json] [--quick] [--boost] [--list] [NAME...]

              NAME      rows to measure, or beginnings of their names (default: all)
              --quick   2 processes of 0.4 s per workload instead of 5 of 1.5 s
              --json    one JSON document on standard output; progress goes to standard error
              --boost   highest priority for the measuring processes (root, setsid): less spread beside other
                        load, but nothing else gets the CPUs meanwhile
              --list    the names of all rows

            Verdict "over" is a figure above its limit, "failed" a row of which a process died; the exit status
            is 1 then, 0 otherwise. A goal is what a row is to reach yet, "met" or "missed", and fails nothing.""";

    private final boolean json;
    private final boolean quick;
    private final boolean boost;
    private final List<String> names;

    private Main(List<String> arguments) {
        json = arguments.contains("--json");
        quick = arguments.contains("--quick");
        boost = arguments.contains("--boost");
        names = arguments.stream().filter(a -> !a.startsWith("--")).toList();
    }

    /** Arguments as in the usage text. */
    public static void main(String[] args) throws IOException, InterruptedException {
        List<String> arguments = List.of(args);
        List<String> unknown = arguments.stream()
                .filter(a -> a.startsWith("-")
                        && !Set.of("--json", "--quick", "--boost", "--list", "--help").contains(a))
                .toList();
        if (!unknown.isEmpty() || arguments.contains("--help")) {
            (unknown.isEmpty() ? System.out : System.err).println(USAGE);
            System.exit(unknown.isEmpty() ? 0 : 2);
        }
        if (arguments.contains("--list")) {
            benchmarks().forEach(b -> b.rows().forEach(System.out::println));
            return;
        }
        System.exit(new Main(arguments).run());
    }

    private static List<Benchmark> benchmarks() {
        List<Benchmark> all = new ArrayList<>();
        Rows.WORKLOADS.forEach(workload -> all.add(new PairBenchmark(workload)));
        all.addAll(List.of(new TaskSwitchBenchmark(), new SimulationBenchmark(), new StartUpBenchmark(),
                new WebBenchmark(), new RpcSteeringBenchmark(),
                new AllocationBenchmark(),
                new LiveHostBenchmark(), new DpdkBenchmark(), new FabricBenchmark()));
        return all;
    }

    private int run() throws IOException, InterruptedException {
        PrintStream document = System.out;
        if (json) {
            System.setOut(System.err); // JMH passes on what its processes say; standard output is for the document
        }
        Path work = Files.createTempDirectory("bascule-bench");
        try {
            Path home = Path.of(System.getProperty("bascule.home", "."));
            String twins = Twins.compile(home.resolve("native/bench"), work);
            Session session = new Session(home, twins, quick ? 2 : 5, quick ? 400 : 1_500, boost, work);
            List<Result> results = measure(session);
            if (results.isEmpty()) {
                System.err.println("bench: no row is called " + String.join(" or ", names) + "; see --list");
                return 2;
            }
            if (json) {
                document.println(json(results));
            }
            return results.stream().noneMatch(Result::fails) ? 0 : 1;
        } finally {
            delete(work);
        }
    }

    private List<Result> measure(Session session) throws IOException, InterruptedException {
        PrintStream progress = System.out;
        progress.println(Machine.describe());
        progress.println(Machine.METHOD);
        progress.println(Result.header());
        List<Result> results = new ArrayList<>();
        for (Benchmark benchmark : benchmarks()) {
            Set<String> wanted = wanted(benchmark);
            if (!wanted.isEmpty()) {
                for (Result result : measure(benchmark, session, wanted)) {
                    results.add(result);
                    progress.println(result.toText());
                }
            }
        }
        return results;
    }

    private static List<Result> measure(Benchmark benchmark, Session session, Set<String> wanted)
            throws InterruptedException {
        try {
            return benchmark.measure(session, wanted);
        } catch (Forks.ForkFailedException e) {
            return wanted.stream().map(name -> Result.died(name, "", Double.NaN, String.valueOf(e.getMessage())))
                    .toList();
        } catch (IOException e) {
            return wanted.stream()
                    .map(name -> Result.notMeasured(name, "", Double.NaN, String.valueOf(e.getMessage()))).toList();
        }
    }

    private Set<String> wanted(Benchmark benchmark) {
        Set<String> wanted = new LinkedHashSet<>(benchmark.rows());
        if (!names.isEmpty()) {
            wanted.removeIf(row -> names.stream().noneMatch(name -> matches(name, row)));
        }
        return wanted;
    }

    /** A whole name means that row, the beginning of a name all that begin so. */
    private static boolean matches(String name, String row) {
        return row.equals(name)
                || row.startsWith(name) && benchmarks().stream().noneMatch(b -> b.rows().contains(name));
    }

    private static String json(List<Result> results) {
        StringBuilder text = new StringBuilder("{\"machine\":\"").append(Result.escape(Machine.describe()))
                .append("\",\"method\":\"").append(Result.escape(Machine.METHOD)).append("\",\"rows\":[");
        for (int i = 0; i < results.size(); i++) {
            text.append(i == 0 ? "\n" : ",\n").append(results.get(i).toJson());
        }
        return text.append("\n]}").toString();
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
