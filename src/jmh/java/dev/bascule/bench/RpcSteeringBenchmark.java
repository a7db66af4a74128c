package dev.bascule.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * RPCs that an agent steers to cores over each transport, beside a plain socket server with a pool of as many threads, in one
 * process after a warm-up: time per request under as many as there is room for, the host's CPU time per request, and the cores
 * that steering took, which with on-host are the host's own and with the others stand for a NIC's.
 */
final class RpcSteeringBenchmark implements Benchmark {
    private static final String NAME = "rpc-steering/";
    private static final String SOCKET = "socket";
    private static final List<String> LINKS = List.of("on-host", "wave", "swap");
    private static final int UNDER_WAY = 64;
    private static final int CALLS_PER_MILLI = 40;
    private static final long LIMIT_SECONDS = 600;

    /** What is measured of each. */
    private enum Kind {
        TIME("", "us", "callsPerSecond"), CPU("/cpu", "us", "cpuUsRequestHost"), CORES("/cores", "cores",
                "coresThatFrontAndAgentTook"), ALONE("", "", "decidedByTheHostItself");

        private final String suffix;
        private final String unit;
        private final String key;

        Kind(String suffix, String unit, String key) {
            this.suffix = suffix;
            this.unit = unit;
            this.key = key;
        }
    }

    private static final List<Kind> ROWS = List.of(Kind.TIME, Kind.CPU, Kind.CORES);

    @Override
    public List<String> rows() {
        return LINKS.stream().flatMap(link -> ROWS.stream().map(kind -> NAME + link + kind.suffix)).toList();
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        Map<String, Map<Kind, List<Double>>> figures = new HashMap<>();
        int count = CALLS_PER_MILLI * session.millis();
        List<String> order = new ArrayList<>(LINKS);
        order.add(SOCKET);
        for (int i = 0; i < session.processes(); i++) {
            note(String.join("\n", Forks.run(command(order, count), session, LIMIT_SECONDS)), figures);
            Collections.rotate(order, 1); // none is always the first
        }
        List<Result> results = new ArrayList<>();
        for (String link : LINKS) {
            for (Kind kind : ROWS) {
                if (wanted.contains(NAME + link + kind.suffix)) {
                    results.add(result(link, kind, figures, count));
                }
            }
        }
        return results;
    }

    private static List<String> command(List<String> order, int count) {
        return Forks.java(List.of(), "dev.bascule.cli.Main", "rpc", "bench", "--link", String.join(",", order),
                "--count",
                Integer.toString(count), "--under-way", Integer.toString(UNDER_WAY), "--json");
    }

    private static void note(String said, Map<String, Map<Kind, List<Double>>> figures)
            throws Forks.ForkFailedException {
        for (String link : LINKS) {
            for (Kind kind : Kind.values()) {
                add(figures, link, kind, figure(said, link, kind.key));
            }
        }
        for (Kind kind : List.of(Kind.TIME, Kind.CPU)) {
            add(figures, SOCKET, kind, figure(said, SOCKET, kind.key));
        }
    }

    private static void add(Map<String, Map<Kind, List<Double>>> figures, String link, Kind kind, double value) {
        figures.computeIfAbsent(link, name -> new EnumMap<>(Kind.class))
                .computeIfAbsent(kind, name -> new ArrayList<>()).add(kind == Kind.TIME ? 1e6 / value : value);
    }

    private static double figure(String said, String link, String key) throws Forks.ForkFailedException {
        Matcher value = Pattern.compile("\"link\": \"" + link + "\"[^}]*\"" + key + "\": ([0-9.E+-]+)").matcher(said);
        if (!value.find()) {
            throw new Forks.ForkFailedException("no " + key + " of " + link + " in what was said: " + said);
        }
        return Double.parseDouble(value.group(1));
    }

    private static Result result(String link, Kind kind, Map<String, Map<Kind, List<Double>>> figures, int count) {
        List<Double> steered = of(figures, link, kind);
        List<Double> socket = of(figures, SOCKET, kind);
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < steered.size(); i++) {
            values.add(socket.isEmpty() ? steered.get(i) : steered.get(i) / socket.get(i));
        }
        int runs = steered.size();
        return new Result(NAME + link + kind.suffix, kind.unit, "", Stats.median(steered),
                socket.isEmpty() ? Double.NaN : Stats.median(socket), socket.isEmpty() ? "" : SOCKET,
                Stats.median(values), Stats.max(values), Double.NaN, false, runs, runs,
                words(link, kind, figures, count));
    }

    private static List<Double> of(Map<String, Map<Kind, List<Double>>> figures, String link, Kind kind) {
        return figures.getOrDefault(link, Map.of()).getOrDefault(kind, List.of());
    }

    private static String words(String link, Kind kind, Map<String, Map<Kind, List<Double>>> figures, int count) {
        return switch (kind) {
            case TIME, ALONE -> String.format(Locale.ROOT,
                    "%.0f requests/s, socket %.0f; %d under way, empty, 2 cores; decided by the host itself: %.0f %%",
                    1e6 / Stats.median(of(figures, link, kind)), 1e6 / Stats.median(of(figures, SOCKET, kind)),
                    UNDER_WAY,
                    100 * Stats.median(of(figures, link, Kind.ALONE)) / count);
            case CPU -> "CPU time per request on the host: handlers' cores"
                    + (link.equals(LINKS.getFirst()) ? ", front and agent" : "")
                    + "; socket: its threads, kernel and all";
            case CORES -> "taken by front and agent, " + (link.equals(LINKS.getFirst())
                    ? "of the host's own"
                    : "in place of a NIC's: what a host would get back");
        };
    }
}
