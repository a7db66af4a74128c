package dev.bascule.cli;

import dev.bascule.config.HardwareConfig;
import dev.bascule.ffi.Affinity;
import dev.bascule.host.AgentLog;
import dev.bascule.host.CardSession;
import dev.bascule.host.LiveTrace;
import dev.bascule.host.LocalSession;
import dev.bascule.host.TransportSession;
import dev.bascule.host.Upgrade;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.report.RunFault;
import dev.bascule.web.Hosts;
import dev.bascule.workload.RequestKind;
import dev.bascule.workload.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Opens the service, runs every transport on it, and cleans up, also after Ctrl-C. */
final class MainJob {
    private final RunPlan plan;
    private final HardwareConfig hardware;
    private final Workloads.Spec workload;
    private final Progress progress;
    private final double given;
    private final Hosts hosts;

    /**
     * All that was measured.
     *
     * @param capacityPerSecond what a load of 1 stands for: the least that a transport answered under more than it
     *        could take, or what the user said
     * @param capacityMeasured whether it was measured
     * @param service facts about the service
     */
    record Result(double capacityPerSecond, boolean capacityMeasured, String service, List<OfTransport> transports,
            long peakResidentBytes) {
        boolean isClean() {
            return transports.stream().allMatch(transport -> areClean(transport.points()) && transport.isWarmUpClean());
        }

        /** Whether the agent's policy decided, and nothing speaks against it. */
        boolean isPolicys() {
            return transports.stream().allMatch(transport -> transport.faults().isEmpty());
        }
    }

    private static boolean areClean(List<PointResult> points) {
        return points.stream().allMatch(point -> point.requests().isClean());
    }

    /**
     * What was measured over one transport.
     *
     * @param ownPerSecond what it answered when offered more, requests/s; NaN: not measured
     * @param capacityPerSecond what a load of 1 stood for
     * @param warmUp what was served before the load points, to warm up and to measure the capacity: in no figure, but a
     *        request lost there is lost
     * @param who who decided
     * @param upgrades of the agent that have ended
     * @param faults what speaks against calling it the policy's run
     * @param cpuEvents what happened to CPUs
     */
    record OfTransport(String name, double ownPerSecond, double capacityPerSecond, List<PointResult> warmUp,
            List<PointResult> points, WhoDecided who, List<RunFault> faults, List<String> incidents,
            List<String> cpuEvents, List<Upgrade> upgrades, long agentResidentBytes, @Nullable LiveTrace trace) {
        boolean isWithoutAgent() {
            return name.equals(Transports.NO_AGENT);
        }

        /** What was measured of the same transport on an earlier host, for its capacity. */
        private OfTransport after(OfTransport earlier, List<RunFault> faultsOfBoth) {
            return new OfTransport(name, earlier.ownPerSecond, capacityPerSecond, joined(earlier.warmUp, warmUp),
                    points,
                    who.after(earlier.who), faultsOfBoth, joined(earlier.incidents, incidents),
                    cpuEvents, upgrades,
                    agentResidentBytes, trace);
        }

        private static <T> List<T> joined(List<T> first, List<T> second) {
            return Stream.concat(first.stream(), second.stream()).toList();
        }

        boolean isWarmUpClean() {
            return areClean(warmUp);
        }
    }

    /** With a capacity of 0 it is measured; {@code hosts} follows the host of each transport. */
    MainJob(RunPlan plan, HardwareConfig hardware, Workloads.Spec workload, Progress progress, double capacity,
            Hosts hosts) {
        this.hosts = hosts;
        this.given = capacity;
        this.plan = plan;
        this.hardware = hardware;
        this.workload = workload;
        this.progress = progress;
    }

    Result run() throws InterruptedException {
        int leftovers = LocalSession.removeLeftovers();
        if (leftovers > 0) {
            progress.say("removed " + leftovers + " folder(s) that earlier runs left behind");
        }
        progress.say("configuration " + hardware.name() + ": preparing the " + workload.name() + " service");
        if (plan.host().pin()) {
            Affinity.set(Cores.forHost());
        }
        try (Service service = workload.open()) {
            List<OfTransport> measured = given > 0 ? playAll(service) : measureAndPlayAll(service);
            return new Result(measured.getFirst().capacityPerSecond(), given <= 0, service.describe(), measured,
                    ProcessUse.peakResidentBytes());
        }
    }

    private List<OfTransport> playAll(Service service) throws InterruptedException {
        List<OfTransport> played = new ArrayList<>();
        for (String name : plan.transports()) {
            played.add(runOne(name, service, new TransportRun.Part(false, true, given, given)));
        }
        return played;
    }

    /**
     * Every transport's capacity first, for the loads are parts of the least. The last transport needs no second host: when
     * its capacity is known, so is the least.
     */
    private List<OfTransport> measureAndPlayAll(Service service) throws InterruptedException {
        double alone = serviceAlonePerSecond(service);
        double least = Double.POSITIVE_INFINITY;
        List<OfTransport> probed = new ArrayList<>();
        for (String name : plan.transports().subList(0, plan.transports().size() - 1)) {
            OfTransport of = runOne(name, service, new TransportRun.Part(true, false, least, alone));
            probed.add(of);
            least = Math.min(least, of.ownPerSecond());
        }
        OfTransport last = runOne(plan.transports().getLast(), service,
                new TransportRun.Part(true, true, least, alone));
        List<OfTransport> played = new ArrayList<>();
        for (OfTransport probe : probed) {
            OfTransport of = runOne(probe.name(), service,
                    new TransportRun.Part(false, true, last.capacityPerSecond(), alone));
            played.add(of.after(probe, faults(of.name(), of.who().after(probe.who()))));
        }
        played.add(last);
        return played;
    }

    private List<RunFault> faults(String name, WhoDecided who) {
        return name.equals(Transports.NO_AGENT)
                ? List.of()
                : who.faults(plan.fallbackLimit(), plan.host().softNanos());
    }

    private double serviceAlonePerSecond(Service service) {
        double mean = 0;
        for (RequestKind kind : service.mix().kinds()) {
            mean += kind.share() * kind.serviceNanos();
        }
        return Math.min(service.mostPerSecond(), Math.min(plan.host().cpus(), plan.host().carriers()) * 1e9 / mean);
    }

    private OfTransport runOne(String name, Service service, TransportRun.Part part) throws InterruptedException {
        Path given = plan.region().directory();
        if (given != null && !name.equals(Transports.NO_AGENT)) { // an agent of that region must not find this host
            createDirectory(given);
            return runIn(given, true, name, service, part);
        }
        try (ScratchFolder folder = LocalSession.newRunDirectory()) {
            try {
                return runIn(folder.path(), false, name, service, part);
            } finally {
                AgentLog.keepIn(folder);
            }
        }
    }

    private OfTransport runIn(Path directory, boolean keep, String name, Service service, TransportRun.Part part)
            throws InterruptedException {
        boolean isWithoutAgent = name.equals(Transports.NO_AGENT);
        CardEnds card = plan.region().card();
        if (card != null && !isWithoutAgent) { // without an agent it is memory of this machine, whatever the others use
            CardSession.assign(directory, card.host(), card.agent());
        }
        TransportRun run = new TransportRun(plan, name, service, part, progress, hosts);
        try (TransportSession session = Transports.open(isWithoutAgent ? LocalSession.NAME : name, directory,
                plan.region().wave(), plan.region().swap(),
                keep)) {
            run.run(session);
        }
        return new OfTransport(name, run.ownPerSecond(), run.capacityPerSecond(), run.warmUp(), run.points(),
                run.whoDecided(), faults(name, run.whoDecided()), run.incidents(), run.cpuEvents(),
                run.upgrades(),
                run.agentResidentBytes(), run.trace());
    }

    private static void createDirectory(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("make run directory " + directory + ": " + e.getMessage()
                    + "; name a directory you may write with --region", e);
        }
    }
}
