package dev.bascule.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * RPCs that an agent steers to cores over each transport, beside a plain socket server with a pool of as many threads, in one
 * process: time per request under as many as there is room for, and CPU time per request of the cores that run handlers.
 */
final class RpcSteeringBenchmark implements Benchmark {
    private static final String NAME = "rpc-steering/";
    private static final String CPU = "/cpu";
    private static final String SOCKET = "socket";
    private static final List<String> LINKS = List.of("on-host", "wave", "swap");

    @Override
    public List<String> rows() {
        List<String> rows = new ArrayList<>();
        LINKS.forEach(link -> rows.addAll(List.of(NAME + link, NAME + link + CPU)));
        return rows;
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        Path jar = session.home().resolve("target/bascule.jar");
        List<String> rows = rows().stream().filter(wanted::contains).toList();
        if (!Files.exists(jar)) {
            return rows.stream()
                    .map(row -> Result.notMeasured(row, "us", Double.NaN,
                            "no target/bascule.jar: run scripts/run once"))
                    .toList();
        }
        Map<String, List<Double>> figures = new HashMap<>();
        int runs = 2 * session.processes() + 1;
        for (int i = 0; i < runs && !rows.isEmpty(); i++) {
            note(run(jar), figures);
        }
        return rows.stream().map(row -> result(row, figures, runs)).toList();
    }

    private static String run(Path jar) throws IOException, InterruptedException {
        int carriers = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
        List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-Djdk.virtualThreadScheduler.parallelism=" + carriers,
                "-Djdk.virtualThreadScheduler.maxPoolSize=" + carriers, "-jar", jar.toString(), "rpc", "bench",
                "--link",
                String.join(",", LINKS) + "," + SOCKET, "--count", "60000", "--under-way", "64", "--json");
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new Forks.ForkFailedException("status " + process.exitValue() + " of " + String.join(" ", command));
        }
        return said;
    }

    private static void note(String said, Map<String, List<Double>> figures) throws Forks.ForkFailedException {
        for (String link : List.of("on-host", "wave", "swap", SOCKET)) {
            figures.computeIfAbsent(link, name -> new ArrayList<>()).add(1e6 / figure(said, link, "callsPerSecond"));
            figures.computeIfAbsent(link + CPU, name -> new ArrayList<>())
                    .add(figure(said, link, "cpuUsRequestHandlersCores"));
        }
    }

    private static double figure(String said, String link, String key) throws Forks.ForkFailedException {
        Matcher value = Pattern.compile("\"link\": \"" + link + "\"[^}]*\"" + key + "\": ([0-9.E+-]+)").matcher(said);
        if (!value.find()) {
            throw new Forks.ForkFailedException("no " + key + " of " + link + " in what was said: " + said);
        }
        return Double.parseDouble(value.group(1));
    }

    private static Result result(String row, Map<String, List<Double>> figures, int runs) {
        String name = row.substring(NAME.length());
        List<Double> steered = figures.getOrDefault(name, List.of());
        List<Double> socket = figures.getOrDefault(SOCKET + (name.endsWith(CPU) ? CPU : ""), List.of());
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < steered.size(); i++) {
            ratios.add(steered.get(i) / socket.get(i));
        }
        return new Result(row, "us", "", Stats.median(steered), Stats.median(socket), SOCKET, Stats.median(ratios),
                Stats.max(ratios), Double.NaN, false, runs, runs,
                (name.endsWith(CPU)
                        ? "CPU time per request of the cores that run handlers; with socket, of its threads, kernel and all"
                        : "per request, 64 under way, 2 cores, through the model of a card")
                        + "; empty requests");
    }
}
