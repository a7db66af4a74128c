package dev.bascule.host;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** One seed's run: a host, its load and its faults; then the oracles. */
final class ChaosScenario {
    /** Long past what a busy machine needs: only a job that never ends takes it. */
    private static final long PROGRESS_NANOS = 60_000_000_000L;
    private static final long SOFT_NANOS = 200_000;

    private final ChaosPlan plan;
    private final Path directory;
    private final ChaosTotals totals = new ChaosTotals();
    private final List<ChaosAgents> agents = new ArrayList<>();
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
        for (ChaosAgents group : agents) {
            group.calm();
            group.join();
        }
        return List.of();
    }

    private List<String> serve(int number) throws Exception {
        TransportSession session = plan.open(directory);
        MechanismEnd end = session.openHost(plan.shape());
        if (number > 0) {
            totals.add(ChaosFault.HOST_RESTART);
        }
        ChaosLoad load = new ChaosLoad(plan);
        ChaosAgents supervisor = new ChaosAgents(plan, directory, load, totals, plan.seed() + number);
        agents.add(supervisor);
        LiveOptions options = new LiveOptions(plan.workers(), plan.polling() ? carriers() : plan.shape().cpus(),
                plan.backlog(), SOFT_NANOS, plan.hardNanos(), plan.polling());
        Mechanism mechanism = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        LiveHost host = new LiveHost(end, mechanism, options, supervisor, load);
        for (int task = 0; task < plan.workers(); task++) {
            mechanism.setAffinity(task, plan.affinityOf(task));
        }
        host.start();
        Thread storm = Thread.ofPlatform().daemon().start(() -> storm(supervisor, number));
        String trouble = null;
        boolean drained = false;
        try {
            drained = host.serve(load, PROGRESS_NANOS);
        } catch (RuntimeException e) {
            trouble = e + " by " + frames(e.getCause() == null ? e : e.getCause());
        }
        List<String> findings = new ArrayList<>(load.findings());
        if (trouble != null) {
            findings.add(trouble);
        } else if (!drained) {
            findings.add("no progress: " + load.open());
        }
        if (!findings.isEmpty()) {
            gaveUp = true;
            storm.join();
            findings.add("incidents: " + host.incidents());
            return findings;
        }
        storm.join();
        findings.addAll(load.audit());
        if (host.counters().failedJobs() > 0) {
            findings.add(host.counters().failedJobs() + " failed jobs: " + host.incidents());
        }
        host.close();
        session.close();
        return findings;
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
    private void storm(ChaosAgents supervisor, int number) {
        SplittableRandom random = new SplittableRandom(plan.seed() * 7 + number);
        long until = System.nanoTime() + plan.loadNanos() * 3 / 4;
        while (System.nanoTime() < until && !gaveUp) {
            LockSupport.parkNanos(5_000_000);
            if (plan.raw() && !gaveUp) {
                try (RandomAccessFile bytes = new RandomAccessFile(plan.file(directory).toFile(), "rw")) {
                    HostileRegionTest.write(bytes, random);
                    totals.add(ChaosFault.RAW_BYTES);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }
        }
        supervisor.calm();
    }
}
