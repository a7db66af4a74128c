package dev.bascule.bench;

import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import dev.bascule.study.sim.EventLoop;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.OpenLoad;
import dev.bascule.study.sim.ServiceTime;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTransports;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The simulated host: CPU time per scheduling event (messages, decisions settled, tasks started) with FIFO on 16 CPUs,
 * over each transport, how it grows up to 1,024 CPUs, and its event loop beside a minimal one in C, in alternating
 * windows. A transport has a process of its own, as a point of a sweep has: what is compiled serves that one only.
 */
final class SimulationBenchmark implements Benchmark {
    private static final String SOURCE = "issue 6, Speed";
    private static final double LIMIT_NANOS = 500; // 2 million a second
    private static final double LOOP_LIMIT = 2;
    private static final double GROWTH_LIMIT = 2.5; // log2 of 1,024 by log2 of 16
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int LOOP_EVENTS = 1_000_000;
    private static final int JOBS = 50_000;
    private static final List<String> TRANSPORTS = List.of("on-host", "wave", "swap1");

    @Override
    public List<String> rows() {
        return List.of("sim-fifo/on-host", "sim-fifo/wave", "sim-fifo/swap1", "sim-fifo-1024/16",
                "sim-fifo-1024/16/wave",
                "sim-fifo-1024/16/swap1", "sim-loop", "sim-fifo/c-loop");
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        Map<String, List<Double>> all = new LinkedHashMap<>();
        int windows = 0;
        for (int i = 0; i < session.processes(); i++) {
            for (String transport : TRANSPORTS) {
                if (wanted.stream().noneMatch(row -> needs(row, transport))) {
                    continue;
                }
                for (String line : Forks.run(Forks.java(List.of("-Dbascule.home=" + session.home()),
                        SimulationBenchmark.class.getName(), session.twins(), Integer.toString(session.millis()),
                        transport), session, 120)) {
                    String[] fields = line.split("\t");
                    all.computeIfAbsent(fields[0], name -> new ArrayList<>()).add(Double.parseDouble(fields[1]));
                    windows = Math.max(windows, Integer.parseInt(fields[2]));
                }
            }
        }
        List<Result> results = new ArrayList<>();
        for (String row : rows()) {
            if (wanted.contains(row)) {
                results.add(result(row, all, windows));
            }
        }
        return results;
    }

    /** Rows that name no transport are measured beside the agent on the host. */
    private static boolean needs(String row, String transport) {
        return row.endsWith("/wave") || row.endsWith("/swap1")
                ? row.endsWith("/" + transport)
                : transport.equals("on-host");
    }

    private static Result result(String row, Map<String, List<Double>> all, int windows) {
        return switch (row) {
            case "sim-fifo/on-host" -> absolute(row, all.getOrDefault("on-host", List.of()), windows);
            case "sim-fifo/wave" -> absolute(row, all.getOrDefault("wave", List.of()), windows);
            case "sim-fifo/swap1" -> absolute(row, all.getOrDefault("swap1", List.of()), windows);
            case "sim-fifo-1024/16" -> growth(row, all, "on-host", windows);
            case "sim-fifo-1024/16/wave" -> growth(row, all, "wave", windows);
            case "sim-fifo-1024/16/swap1" -> growth(row, all, "swap1", windows);
            case "sim-loop" -> ratio(row, all, "loop", "c", "c", LOOP_LIMIT, windows);
            default -> ratio(row, all, "on-host", "c", "c", Double.NaN, windows);
        };
    }

    private static Result absolute(String row, List<Double> nanos, int windows) {
        double median = Stats.median(nanos);
        return new Result(row, "ns", "", median, Double.NaN, "", median, Stats.max(nanos), LIMIT_NANOS, false, windows,
                nanos.size(), "CPU time per scheduling event; limit is absolute; " + SOURCE);
    }

    private static Result growth(String row, Map<String, List<Double>> all, String transport, int windows) {
        return ratio(row, all, transport + "-1024", transport, "16 CPUs", GROWTH_LIMIT, windows);
    }

    private static Result ratio(String row, Map<String, List<Double>> all, String left, String right, String name,
            double limit, int windows) {
        List<Double> ours = all.getOrDefault(left, List.of());
        List<Double> theirs = all.getOrDefault(right, List.of());
        if (ours.isEmpty() || theirs.size() != ours.size()) {
            return Result.notMeasured(row, "ns", limit, "no C compiler (cc)");
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(ours.get(i) / theirs.get(i));
        }
        return new Result(row, "ns", "", Stats.median(ours), Stats.median(theirs), name, Stats.median(ratios),
                Stats.max(ratios), limit, false, windows, ours.size(), "CPU time per event; " + SOURCE);
    }

    // ---- in the forked process

    /** Prints for each thing measured: name, median ns per event, windows. */
    public static void main(String[] args) {
        Twins twins = Twins.load(args[0]);
        long start = System.nanoTime();
        long length = 10 * Long.parseLong(args[1]) * 1_000_000;
        String transport = args[2];
        Map<String, List<Double>> samples = new LinkedHashMap<>();
        EventLoop loop = new EventLoop();
        boolean loops = transport.equals("on-host");
        Side c = loops && twins.available()
                ? twins.side("event_loop", Arena.global().allocate(1 << 20, 4096), 16, 0)
                : null;
        for (int window = 0; System.nanoTime() - start < length || window < 9; window++) {
            Map<String, Double> now = new LinkedHashMap<>();
            now.put(transport, simulated(transport, 16));
            if (window % 3 == 2) {
                now.put(transport + "-1024", simulated(transport, 1024));
            }
            if (loops) {
                loops(loop, c, window, now);
            }
            if (window >= 5 && System.nanoTime() - start > length / 2) { // compiled by then
                now.forEach((name, nanos) -> samples.computeIfAbsent(name, n -> new ArrayList<>()).add(nanos));
            }
        }
        samples.forEach((name, nanos) -> System.out.println(name + "\t" + Stats.median(nanos) + "\t" + nanos.size()));
    }

    private static void loops(EventLoop loop, @Nullable Side c, int window, Map<String, Double> into) {
        long before = THREADS.getCurrentThreadCpuTime();
        long sum = loop.run(window, LOOP_EVENTS, 16);
        into.put("loop", (double) (THREADS.getCurrentThreadCpuTime() - before) / LOOP_EVENTS);
        if (c != null) {
            before = THREADS.getCurrentThreadCpuTime();
            long other = c.run(window, LOOP_EVENTS);
            into.put("c", (double) (THREADS.getCurrentThreadCpuTime() - before) / LOOP_EVENTS);
            if (other != sum) {
                throw new IllegalStateException("the event loop in C came to " + other + ", in Java to " + sum);
            }
        }
    }

    /** On more CPUs than 16 jobs are longer, so that as many come per second: one agent has no more to do. */
    private static double simulated(String transport, int cpus) {
        int longer = cpus / 16;
        JobMix mix = JobMix.one("as ghost-fifo", "jobs " + longer + " times as long",
                ServiceTime.shifted(10_000 * longer, 1_000 * longer));
        double rate = mix.capacityPerSecond(cpus) * 0.7;
        SimOptions options = SimOptions.of(cpus, Math.round(JOBS / rate * 1e9)).withWorkers(200 + 2 * cpus, 1 << 16);
        SimSetup setup = SimSetup.of(options, SimTransports.named(transport), CostProfiles.load("published"));
        long before = THREADS.getCurrentThreadCpuTime();
        SimResult result = SimHost.run(setup, FifoAgent::new, OpenLoad.blind(mix, rate, 1));
        return (double) (THREADS.getCurrentThreadCpuTime() - before) / result.events();
    }
}
