package dev.bascule.host;

import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One seed's run: a host, its load and its faults; then the oracles. */
final class ChaosScenario {
    /** Long past what a busy machine needs: only a job that never ends takes it. */
    private static final long PROGRESS_NANOS = 60_000_000_000L;
    private static final long SOFT_NANOS = 200_000;

    private final ChaosPlan plan;
    private final Path directory;
    private final ChaosTotals totals = new ChaosTotals();
    private final List<ChaosSupervisor> agents = new ArrayList<>();
    private volatile boolean gaveUp;

    ChaosScenario(ChaosPlan plan, Path directory) {
        this.plan = plan;
        this.directory = directory;
    }

    ChaosTotals totals() {
        return totals;
    }

    /** Runs; on a finding what it started is left as it is, for its threads may hang. */
    List<String> run() throws Exception {
        for (int host = 0; host <= plan.restarts(); host++) {
            List<String> findings = serve(host);
            if (!findings.isEmpty()) {
                return findings;
            }
        }
        for (ChaosSupervisor agent : agents) {
            agent.calm();
            agent.join();
        }
        return stillOpen();
    }

    /** Mappings are gone when their files are closed. */
    private List<String> stillOpen() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.map(ChaosScenario::target).filter(file -> file.startsWith(directory))
                    .map(file -> "still open: " + file).toList();
        }
    }

    private static Path target(Path link) {
        try {
            return Files.readSymbolicLink(link);
        } catch (IOException e) {
            return link; // closed meanwhile
        }
    }

    private List<String> serve(int number) throws Exception {
        SplittableRandom random = new SplittableRandom(plan.seed() * 7 + number);
        boolean crash = plan.crash() && number < plan.restarts();
        long longest = crash ? plan.loadNanos() / 8 + random.nextLong(plan.loadNanos()) : PROGRESS_NANOS;
        TransportSession session = plan.open(directory);
        MechanismEnd opened = session.openHost(plan.shape());
        MechanismEnd end = crash ? ChaosHosts.silent(opened) : opened;
        if (number > 0) {
            totals.add(ChaosFault.HOST_RESTART, "with epoch " + end.epoch());
        }
        ChaosLoad load = new ChaosLoad(plan, totals);
        ChaosDecisions decisions = new ChaosDecisions();
        List<ChaosSupervisor> supervisors = IntStream.range(0, plan.shape().agents())
                .mapToObj(agent -> supervisor(agent, load, decisions, plan.seed() + number + 1_000L * agent, crash))
                .toList();
        agents.addAll(supervisors);
        LiveOptions options = new LiveOptions(plan.workers(), plan.polling() ? carriers() : plan.shape().cpus(),
                plan.backlog(), SOFT_NANOS, plan.hardNanos(), plan.polling()).withTick(plan.tickNanos())
                .withJobsInARow(plan.jobsInARow());
        Mechanism mechanism = new Mechanism(end, System::nanoTime, decisions);
        LiveHost host = new LiveHost(end, mechanism, options, supervisors, load);
        for (int task = 0; task < plan.workers(); task++) {
            mechanism.setAffinity(task, plan.affinityOf(task));
        }
        host.start();
        ChaosCpus cpus = new ChaosCpus(plan, host.cpus(), load, totals, random.split());
        Thread storm = Thread.ofPlatform().daemon().start(() -> storm(supervisors, random));
        List<String> findings = new ArrayList<>();
        try {
            boolean drained = host.serve(load, longest);
            if (!drained && !crash) {
                findings.add("no progress: " + load.open());
            } else if (!drained) {
                totals.add(ChaosFault.HOST_CRASH, "in epoch " + end.epoch());
                load.cutOff();
            }
            cpus.end();
        } catch (RuntimeException e) {
            findings.add(e + " by " + frames(e.getCause() == null ? e : e.getCause()));
        }
        findings.addAll(load.findings());
        if (!findings.isEmpty()) {
            gaveUp = true;
            storm.join();
            findings.addAll(state(host, mechanism, end));
            return findings;
        }
        if (!crash) {
            storm.join();
        }
        host.close();
        findings.addAll(load.audit());
        if (host.counters().failedJobs() > 0) {
            findings.add(host.counters().failedJobs() + " failed jobs: " + host.incidents());
        }
        session.close();
        storm.join();
        return findings;
    }

    private ChaosSupervisor supervisor(int agent, ChaosLoad load, ChaosDecisions decisions, long seed, boolean crash) {
        return plan.processes()
                ? new ChaosProcesses(plan, agent, directory, load, totals, decisions, seed, crash)
                : new ChaosAgents(plan, agent, directory, load, totals, seed, crash);
    }

    /** What the host was doing. */
    private List<String> state(LiveHost host, Mechanism mechanism, MechanismEnd end) {
        return List.of("incidents: " + host.incidents(), host.counters().toString(), end.counters().toString(),
                "epochs " + IntStream.range(0, plan.shape().agents()).map(end::epoch).boxed().toList()
                        + (host.isAgentReady() ? ", agents ready" : ", not all agents ready")
                        + (host.isAgentExpected() ? "" : ", none expected"),
                "CPUs run tasks " + IntStream.range(0, plan.shape().cpus()).mapToObj(mechanism::current).toList()
                        + ", runnable " + mechanism.runnableCount(),
                "last: " + totals.trail());
    }

    private static String frames(Throwable cause) {
        StackTraceElement[] trace = cause.getStackTrace();
        return List.of(trace).subList(0, Math.min(8, trace.length)).toString();
    }

    /** Carriers of this JVM. */
    private static int carriers() {
        return Integer.getInteger("jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
    }

    /** Scribbles until most of the load has come; then all is calm. */
    private void storm(List<ChaosSupervisor> supervisors, SplittableRandom random) {
        long until = System.nanoTime() + plan.loadNanos() * 3 / 4;
        while (System.nanoTime() < until && !gaveUp) {
            LockSupport.parkNanos(5_000_000);
            if (plan.raw() && !gaveUp) {
                try (RandomAccessFile bytes = new RandomAccessFile(plan.file(directory).toFile(), "rw")) {
                    HostileRegionTest.write(bytes, random);
                    totals.add(ChaosFault.RAW_BYTES);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        supervisors.forEach(ChaosSupervisor::calm);
    }
}
