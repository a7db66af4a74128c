package dev.bascule.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the live page costs a run that is watched: requests/s that the main job answers under more than it can take, with
 * {@code --web} and somebody who reads its events, and without, in turns. The service's requests are short, so that the
 * host's own work is most of it.
 */
final class WebBenchmark implements Benchmark {
    private static final String NAME = "web";
    private static final List<String> TRANSPORTS = List.of("on-host", "wave");
    private static final Pattern CAPACITY = Pattern.compile("\"capacity\": \\{\\s*\"perSecond\": ([0-9.]+)");
    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/");

    @Override
    public List<String> rows() {
        return TRANSPORTS.stream().map(transport -> NAME + "/" + transport).toList();
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        Path jar = session.home().resolve("target/bascule.jar");
        List<Result> results = new ArrayList<>();
        for (String transport : TRANSPORTS) {
            String row = NAME + "/" + transport;
            if (wanted.contains(row)) {
                results.add(Files.exists(jar)
                        ? measure(row, transport, jar, 2 * session.processes() + 1)
                        : Result.notMeasured(row, "us", Double.NaN, "no target/bascule.jar: run scripts/run once"));
            }
        }
        return results;
    }

    private static Result measure(String row, String transport, Path jar, int pairs)
            throws IOException, InterruptedException {
        List<Double> watched = new ArrayList<>();
        List<Double> alone = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            alone.add(1e6 / capacity(command(transport, jar, List.of())));
            watched.add(1e6 / capacity(command(transport, jar, List.of("--web", "0"))));
            ratios.add(watched.getLast() / alone.getLast());
        }
        return new Result(row, "us", "", Stats.median(watched), Stats.median(alone), "unwatched", Stats.median(ratios),
                Stats.max(ratios), Double.NaN, false, pairs, pairs,
                "per request under more than it can take; the page's server and trace in the host's process, read by"
                        + " one client");
    }

    private static List<String> command(String transport, Path jar, List<String> more) {
        int carriers = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-Djdk.virtualThreadScheduler.parallelism=" + carriers,
                "-Djdk.virtualThreadScheduler.maxPoolSize=" + carriers, "-jar", jar.toString(), "run", "--quick",
                "--workload", "spin", "--mix", "extreme-bimodal", "--transport", transport, "--load", "0.3",
                "--duration", "600ms", "--report", "none", "--patient", "--fallback-limit", "1", "--json"));
        command.addAll(more);
        return command;
    }

    /** Requests/s; the page, if there is one, is read as soon as it is told where it is. */
    private static double capacity(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).start();
        Thread reader = Thread.ofPlatform().daemon().start(() -> watch(process));
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        reader.join();
        Matcher capacity = CAPACITY.matcher(said);
        if (!capacity.find()) {
            throw new Forks.ForkFailedException("no capacity in what was said: " + String.join(" ", command));
        }
        return Double.parseDouble(capacity.group(1));
    }

    private static void watch(Process process) {
        try (BufferedReader said = process.errorReader(StandardCharsets.UTF_8)) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                Matcher address = ADDRESS.matcher(line);
                if (address.find()) {
                    String page = address.group();
                    Thread.ofPlatform().daemon().start(() -> read(page + "events"));
                }
            }
        } catch (IOException e) {
            return; // it has ended
        }
    }

    private static void read(String address) {
        try (InputStream events = URI.create(address).toURL().openStream();
                BufferedReader lines = new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8))) {
            while (lines.readLine() != null) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            return; // the run has ended
        }
    }
}
