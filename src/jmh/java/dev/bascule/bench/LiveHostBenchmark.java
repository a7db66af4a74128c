package dev.bascule.bench;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.host.JobSource;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.LiveCounters;
import dev.bascule.host.LiveHost;
import dev.bascule.host.LiveOptions;
import dev.bascule.host.ThreadAgent;
import dev.bascule.local.LocalProtocol;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The live host with 1, 2, 4 and 8 emulated CPUs, each on a carrier of its own: time under the host's lock per decision,
 * and decisions per second, over each transport with FIFO in a thread beside it. Jobs spin for a microsecond; as many
 * wait as the backlog takes. Where a machine has fewer cores than CPUs the carriers share them.
 */
final class LiveHostBenchmark implements Benchmark {
    private static final String NAME = "live";
    private static final double LIMIT_NANOS = 100;
    private static final List<String> TRANSPORTS = List.of(LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME);
    private static final int[] CPUS = { 1, 2, 4, 8 };
    private static final int JOBS = 20_000;
    private static final long JOB_NANOS = 1_000;

    @Override
    public List<String> rows() {
        List<String> rows = new ArrayList<>();
        for (String transport : TRANSPORTS) {
            for (int cpus : CPUS) {
                rows.add(row(transport, cpus));
            }
        }
        return rows;
    }

    private static String row(String transport, int cpus) {
        return NAME + "/" + transport + "/" + cpus + "-cpus";
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        Map<String, List<double[]>> all = new LinkedHashMap<>();
        for (int i = 0; i < session.processes(); i++) {
            for (String transport : TRANSPORTS) {
                for (int cpus : CPUS) {
                    String row = row(transport, cpus);
                    if (wanted.contains(row)) {
                        all.computeIfAbsent(row, name -> new ArrayList<>()).add(fork(session, transport, cpus));
                    }
                }
            }
        }
        List<Result> results = new ArrayList<>();
        all.forEach((row, figures) -> results.add(result(row, figures)));
        return results;
    }

    private static double[] fork(Session session, String transport, int cpus) throws IOException, InterruptedException {
        String carriers = Integer.toString(cpus);
        List<String> lines = Forks.run(Forks.java(List.of("-Djdk.virtualThreadScheduler.parallelism=" + carriers,
                "-Djdk.virtualThreadScheduler.maxPoolSize=" + carriers), LiveHostBenchmark.class.getName(), transport,
                carriers, Integer.toString(session.millis()), session.work().toString()), session, 120);
        String[] fields = lines.getLast().split("\t");
        return new double[] { Double.parseDouble(fields[0]), Double.parseDouble(fields[1]) };
    }

    private static Result result(String row, List<double[]> figures) {
        List<Double> nanos = figures.stream().map(figure -> figure[0]).toList();
        double perSecond = Stats.median(figures.stream().map(figure -> figure[1]).toList());
        return new Result(row, "ns", "", Stats.median(nanos), Double.NaN, "", Stats.median(nanos), Stats.max(nanos),
                LIMIT_NANOS, false, figures.size(), figures.size(),
                "under the host's lock per decision; %.0f decisions/s; issue 13, Scale".formatted(perSecond));
    }

    // ---- in the forked process

    /** Prints the time under the lock per decision, ns, and decisions per second. */
    public static void main(String[] args) throws Exception {
        int cpus = Integer.parseInt(args[1]);
        long millis = Long.parseLong(args[2]);
        Path directory = Files.createTempDirectory(Path.of(args[3]), NAME);
        try (dev.bascule.host.Session session = open(args[0], directory)) {
            MechanismEnd end = session.openHost(new EnclaveShape(cpus, 64, 1, 1024, 2));
            ThreadAgent agent = new ThreadAgent(() -> session.attach(0), FifoAgent::new, IdleStrategy::spin);
            LiveOptions options = new LiveOptions(64, cpus, JOBS, 1_000_000, 1_000_000_000, true);
            try (LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE), options,
                    agent, (job, yield) -> spin())) {
                host.start();
                serve(host, millis);
                LiveCounters before = host.counters();
                long from = System.nanoTime();
                serve(host, millis);
                double seconds = (System.nanoTime() - from) / 1e9;
                LiveCounters after = host.counters();
                double decisions = after.switches() - before.switches();
                System.out
                        .println((after.lockedNanos() - before.lockedNanos()) / decisions + "\t" + decisions / seconds);
            }
        }
        delete(directory);
    }

    private static dev.bascule.host.Session open(String name, Path directory) {
        return switch (name) {
            case LocalProtocol.NAME -> dev.bascule.host.Session.onHost(directory, false);
            case WaveProtocol.NAME -> dev.bascule.host.Session.wave(directory, LinkSetup.DEFAULT, false);
            default -> dev.bascule.host.Session.swap(directory, LinkSetup.DEFAULT, false);
        };
    }

    private static void spin() {
        long until = System.nanoTime() + JOB_NANOS;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }

    private static void serve(LiveHost host, long millis) throws InterruptedException {
        long until = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < until) {
            if (!host.serve(new Flood(), 60_000_000_000L)) {
                throw new IllegalStateException("jobs did not end: " + host.incidents());
            }
        }
    }

    /** All jobs are due at once. */
    private static final class Flood implements JobSource {
        private int taken;

        @Override
        public long nextDueNanos() {
            return taken < JOBS ? 0 : NO_MORE;
        }

        @Override
        public int take() {
            return taken++;
        }

        @Override
        public void rejected(int job) {
            throw new IllegalStateException("job " + job + " was refused");
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
