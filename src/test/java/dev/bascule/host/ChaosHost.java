package dev.bascule.host;

import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** A host under chaos, with its region, load and agents; not started yet. */
record ChaosHost(ChaosPlan plan, Path directory, Session session, MechanismEnd end, Mechanism mechanism,
        ChaosLoad load, List<ChaosSupervisor> agents, LiveHost host) {
    private static final long SOFT_NANOS = 200_000;

    /**
     * Opens a host on the region in {@code directory}.
     *
     * @param number how many were there before it
     * @param crash it ends without a word to its agents
     * @param carriers of its CPUs, of which some share a carrier if there are fewer
     */
    static ChaosHost open(ChaosPlan plan, Path directory, ChaosLoad load, ChaosTotals totals, int number,
            boolean crash, int carriers) {
        Session session = plan.open(directory);
        MechanismEnd opened = session.openHost(plan.shape());
        MechanismEnd end = crash ? ChaosHosts.silent(opened) : opened;
        ChaosDecisions decisions = new ChaosDecisions();
        List<ChaosSupervisor> agents = IntStream.range(0, plan.shape().agents()).mapToObj(agent -> {
            long seed = plan.seed() + number + 1_000L * agent;
            return plan.processes()
                    ? new ChaosProcesses(plan, agent, directory, load, totals, decisions, seed, crash)
                    : new ChaosAgents(plan, agent, directory, load, totals, seed, crash);
        }).toList();
        LiveOptions options = new LiveOptions(plan.workers(), carriers, plan.backlog(), SOFT_NANOS, plan.hardNanos(),
                plan.polling()).withTick(plan.tickNanos()).withJobsInARow(plan.jobsInARow());
        Mechanism mechanism = new Mechanism(end, System::nanoTime, decisions);
        LiveHost host = new LiveHost(end, mechanism, options, agents, load);
        for (int task = 0; task < plan.workers(); task++) {
            mechanism.setAffinity(task, plan.affinityOf(task));
        }
        return new ChaosHost(plan, directory, session, end, mechanism, load, agents, host);
    }

    /** Scribbles until most of the load has come; then all is calm. */
    void storm(SplittableRandom random, ChaosTotals totals, BooleanSupplier gaveUp) {
        long until = System.nanoTime() + plan.loadNanos() * 3 / 4;
        while (System.nanoTime() < until && !gaveUp.getAsBoolean()) {
            LockSupport.parkNanos(5_000_000);
            if (plan.raw() && !gaveUp.getAsBoolean()) {
                try (RandomAccessFile bytes = new RandomAccessFile(plan.file(directory).toFile(), "rw")) {
                    HostileRegionTest.write(bytes, random);
                    totals.add(ChaosFault.RAW_BYTES);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        agents.forEach(ChaosSupervisor::calm);
    }

    /** Serves the load; on a finding it says what. */
    List<String> serve(long longestNanos) throws InterruptedException {
        try {
            return host.serve(load, longestNanos) ? List.of() : List.of("no progress: " + load.open());
        } catch (RuntimeException e) {
            return List.of(e + " by " + frames(e.getCause() == null ? e : e.getCause()));
        }
    }

    private static String frames(Throwable cause) {
        StackTraceElement[] trace = cause.getStackTrace();
        return List.of(trace).subList(0, Math.min(8, trace.length)).toString();
    }

    /** After the host has closed: what went wrong. */
    List<String> audit() {
        List<String> findings = load.audit();
        if (host.counters().failedJobs() > 0) {
            findings.add(host.counters().failedJobs() + " failed jobs: " + host.incidents());
        }
        return findings;
    }

    /** What the host was doing. */
    List<String> state(ChaosTotals totals) {
        return List.of("incidents: " + host.incidents(), host.counters().toString(), end.counters().toString(),
                "epochs " + IntStream.range(0, plan.shape().agents()).map(end::epoch).boxed().toList()
                        + (host.isAgentReady() ? ", agents ready" : ", not all agents ready")
                        + (host.isAgentExpected() ? "" : ", none expected"),
                "CPUs run tasks " + IntStream.range(0, plan.shape().cpus()).mapToObj(mechanism::current).toList()
                        + ", runnable "
                        + IntStream.range(0, plan.shape().agents()).mapToObj(mechanism::runnableCount).toList()
                        + " by agent",
                "last: " + totals.trail());
    }
}
