package dev.bascule.run;

import dev.bascule.config.HardwareConfig;
import dev.bascule.ffi.Affinity;
import dev.bascule.host.AgentLog;
import dev.bascule.host.LiveTrace;
import dev.bascule.host.MirrorPlace;
import dev.bascule.host.Session;
import dev.bascule.host.Upgrade;
import dev.bascule.local.LocalProtocol;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.report.RunFault;
import dev.bascule.web.Hosts;
import dev.bascule.workload.RequestKind;
import dev.bascule.workload.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Opens the service, runs every transport on it, and cleans up, also after Ctrl-C. */
public final class MainJob {
    private final RunPlan first;
    private RunPlan plan;
    private final HardwareConfig hardware;
    private final Workloads.Spec workload;
    private final Progress progress;
    private final double given;
    private final Hosts hosts;
    private final Set<Path> logs = ConcurrentHashMap.newKeySet();

    /**
     * All that was measured in one repeat.
     *
     * @param capacityPerSecond what a load of 1 stands for: what a transport answered under more than it could take, the
     *        least, or so near to it that no load is near another's capacity; or what the user said
     * @param capacityMeasured whether it was measured
     * @param service facts about the service
     */
    public record Result(double capacityPerSecond, boolean capacityMeasured, String service,
            List<OfTransport> transports,
            long peakResidentBytes) {
        /** Whether nothing failed that should not have. */
        public boolean isClean() {
            return transports.stream().allMatch(transport -> areClean(transport.points()) && transport.isAroundClean());
        }

        /** Whether the agent's policy decided, and nothing speaks against it. */
        public boolean isPolicys() {
            return transports.stream().allMatch(transport -> transport.faults().isEmpty());
        }
    }

    private static boolean areClean(List<PointResult> points) {
        return points.stream().allMatch(point -> point.requests().isClean());
    }

    /**
     * Measurements over one transport.
     *
     * @param ownPerSecond what it answered when offered more, requests/s; NaN: not measured
     * @param capacityPerSecond what a load of 1 stood for
     * @param around what was served before the load points, to warm up and to measure the capacity, and after them
     *        while an upgrade was under way: in no figure, but a request lost there is lost
     * @param who who decided
     * @param upgrades of the agent that have ended
     * @param faults what speaks against calling it the policy's run
     * @param remarks what there is to say of the policy besides
     * @param cpuEvents what happened to CPUs
     */
    public record OfTransport(String name, double ownPerSecond, double capacityPerSecond, List<PointResult> around,
            List<PointResult> points, WhoDecided who, List<RunFault> faults, List<String> incidents,
            List<String> remarks, List<String> cpuEvents, List<Upgrade> upgrades, long agentResidentBytes,
            @Nullable LiveTrace trace) {
        /** Whether the host decided by itself. */
        public boolean isWithoutAgent() {
            return name.equals(Transports.NO_AGENT);
        }

        /**
         * Measurements joined with those of an earlier host, on which the capacity of the same transport was measured.
         */
        private OfTransport after(OfTransport earlier, List<RunFault> faultsOfBoth) {
            return new OfTransport(name, earlier.ownPerSecond, capacityPerSecond, joined(earlier.around, around),
                    points,
                    who.after(earlier.who), faultsOfBoth, joined(earlier.incidents, incidents), remarks,
                    cpuEvents, upgrades,
                    agentResidentBytes, trace);
        }

        private OfTransport naming(Path log, Path kept) {
            UnaryOperator<String> named = text -> text.replace(log.toString(), kept.toString());
            return new OfTransport(name, ownPerSecond, capacityPerSecond, around, points, who,
                    faults.stream().map(fault -> new RunFault(fault.kind(), named.apply(fault.text()))).toList(),
                    incidents.stream().map(named).toList(), remarks.stream().map(named).toList(), cpuEvents, upgrades,
                    agentResidentBytes, trace);
        }

        /** Whether what was served before and after the load points was without failures. */
        public boolean isAroundClean() {
            return areClean(around);
        }
    }

    /** With a capacity of 0 it is measured; {@code hosts} follows the host of each transport. */
    public MainJob(RunPlan plan, HardwareConfig hardware, Workloads.Spec workload, Progress progress, double capacity,
            Hosts hosts) {
        this.hosts = hosts;
        this.given = capacity;
        first = plan;
        this.plan = plan;
        this.hardware = hardware;
        this.workload = workload;
        this.progress = progress;
    }

    /** So many independent repeats, each with a seed and agents of its own; all with the same loads. */
    public List<Result> run(int repeats) throws InterruptedException {
        int leftovers = Session.removeLeftovers();
        if (leftovers > 0) {
            progress.say("removed " + leftovers + " folder(s) that earlier runs left behind");
        }
        progress.say("configuration " + hardware.name() + ": preparing the " + workload.name() + " service");
        try (Affinity.Pinned _ = onHostCores(); Service service = workload.open()) {
            List<Result> results = new ArrayList<>();
            double perSecond = given;
            for (int i = 0; i < repeats; i++) {
                if (repeats > 1) {
                    progress.say("repeat " + (i + 1) + " of " + repeats);
                }
                plan = first.repeat(i);
                List<OfTransport> played = perSecond > 0 ? playAll(service, perSecond) : measureAndPlayAll(service);
                perSecond = played.getFirst().capacityPerSecond();
                results.add(new Result(perSecond, given <= 0, service.describe(), played,
                        ProcessUse.peakResidentBytes()));
            }
            return results;
        }
    }

    /** The service's own threads inherit them. */
    private Affinity.Pinned onHostCores() {
        Affinity.Pinned before = Affinity.keep();
        if (plan.host().pin()) {
            Affinity.set(Cores.forHost(plan.agent().count(), plan.host().carriers()));
        }
        return before;
    }

    /** With loads that are known; capacities are measured again, unless a figure was given instead. */
    private List<OfTransport> playAll(Service service, double perSecond) throws InterruptedException {
        if (!plan.enclaves().isEmpty()) {
            return playTogether(service, perSecond);
        }
        List<OfTransport> played = new ArrayList<>();
        for (RunPlan.Column column : plan.columns()) {
            played.add(runOne(column, service,
                    new TransportRun.Part(given <= 0, perSecond, true, serviceAlonePerSecond(service))));
        }
        return played;
    }

    /**
     * Measures the capacity of each transport and plays its loads at once, the slowest first as far as that is known before:
     * loads are parts of the least capacity so far. Who was played before another turned out to be too slow for these loads
     * is played again.
     */
    private List<OfTransport> measureAndPlayAll(Service service) throws InterruptedException {
        double alone = serviceAlonePerSecond(service);
        double perSecond = Double.POSITIVE_INFINITY;
        Map<String, OfTransport> played = new HashMap<>();
        for (RunPlan.Column column : slowestFirst()) {
            OfTransport of = runOne(column, service, new TransportRun.Part(true, perSecond, false, alone));
            played.put(column.name(), of);
            perSecond = of.capacityPerSecond();
        }
        List<OfTransport> results = new ArrayList<>();
        for (RunPlan.Column column : plan.columns()) {
            String name = column.name();
            OfTransport of = Objects.requireNonNull(played.get(name));
            if (of.capacityPerSecond() != perSecond) {
                OfTransport again = runOne(column, service, new TransportRun.Part(false, perSecond, true, alone));
                of = again.after(of,
                        joined(faults(name, again.who().after(of.who())), UpgradeReport.among(again.faults())));
            }
            results.add(of);
        }
        return results;
    }

    /** The reference, on coherent memory, is named first as a rule; the host's own queue is faster than all. */
    private List<RunPlan.Column> slowestFirst() {
        return plan.columns().reversed().stream()
                .sorted(Comparator.comparing(column -> column.name().equals(Transports.NO_AGENT))).toList();
    }

    private List<RunFault> faults(String name, WhoDecided who) {
        return name.equals(Transports.NO_AGENT)
                ? List.of()
                : who.faults(plan.fallbackLimit(), plan.host().patience().softNanos());
    }

    private double serviceAlonePerSecond(Service service) {
        double mean = 0;
        for (RequestKind kind : service.mix().kinds()) {
            mean += kind.share() * kind.serviceNanos();
        }
        return Math.min(service.mostPerSecond(), Math.min(plan.host().cpus(), plan.host().carriers()) * 1e9 / mean);
    }

    /** The enclaves at the same time, each with the whole load. */
    private List<OfTransport> playTogether(Service service, double perSecond) throws InterruptedException {
        TransportRun.Part part = new TransportRun.Part(false, perSecond, true, serviceAlonePerSecond(service));
        List<Future<OfTransport>> all = new ArrayList<>();
        try (EnclaveRuns together = new EnclaveRuns(plan.enclaves(), plan.host().cpus(), progress);
                ExecutorService threads = Executors.newFixedThreadPool(plan.enclaves().enclaves().size())) {
            for (EnclavePlan.One one : plan.enclaves().enclaves()) {
                all.add(threads.submit(() -> playEnclave(one, service, part, together)));
            }
        }
        List<OfTransport> results = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (Future<OfTransport> one : all) {
            try {
                results.add(one.get());
            } catch (ExecutionException e) {
                failures.add(Objects.requireNonNullElse(e.getCause(), e));
            }
        }
        for (Throwable failure : failures) {
            if (!(failure instanceof EnclaveRuns.OtherFailed) && failure instanceof RuntimeException why) {
                throw why;
            }
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException("run enclaves: " + failures.getFirst().getMessage(), failures.getFirst());
        }
        return results;
    }

    /** Others may wait for it; if it fails they are told. */
    private OfTransport playEnclave(EnclavePlan.One one, Service service, TransportRun.Part part,
            EnclaveRuns together) throws InterruptedException {
        boolean hasPlayed = false;
        try {
            OfTransport played = runEnclave(one, service, part, together);
            hasPlayed = true;
            return played;
        } finally {
            if (!hasPlayed) {
                together.fail();
            }
        }
    }

    private OfTransport runEnclave(EnclavePlan.One one, Service service, TransportRun.Part part, EnclaveRuns together)
            throws InterruptedException {
        RunPlan own = plan.of(one.policy(), one.agents());
        Path given = plan.region().directory();
        if (given != null) {
            Path directory = given.resolve(one.name());
            createDirectory(directory);
            return runIn(own, directory, true, one.name(), one.transport(), service, part, together);
        }
        try (ScratchFolder folder = Session.newRunDirectory()) {
            try {
                return keepingLogs(folder.path(), runIn(own, folder.path(), false, one.name(), one.transport(), service,
                        part, together));
            } finally {
                AgentLog.keepIn(folder);
            }
        }
    }

    private OfTransport runOne(RunPlan.Column column, Service service, TransportRun.Part part)
            throws InterruptedException {
        String name = column.name();
        RunPlan own = plan.of(column.policy(), plan.agent().count());
        Path given = plan.region().directory();
        if (given != null && !name.equals(Transports.NO_AGENT)) { // an agent of that region must not find this host
            createDirectory(given);
            return runIn(own, given, true, name, column.transport(), service, part, null);
        }
        try (ScratchFolder folder = Session.newRunDirectory()) {
            try {
                return keepingLogs(folder.path(),
                        runIn(own, folder.path(), false, name, column.transport(), service, part, null));
            } finally {
                AgentLog.keepIn(folder);
            }
        }
    }

    /** Stacks of agents are kept beside the report, where a later run does not clear up, and are named there. */
    private OfTransport keepingLogs(Path directory, OfTransport of) {
        OfTransport named = of;
        for (Map.Entry<Path, String> stack : AgentLog.stacks(directory).entrySet()) {
            Path report = plan.agent().report();
            if (report != null) {
                Path kept = logBeside(report, of.name(), stack.getKey());
                if (move(stack.getKey(), stack.getValue(), kept)) {
                    named = named.naming(stack.getKey(), kept);
                }
            }
        }
        return named;
    }

    /** {@code report.html} has {@code report.wave.agent.log} beside it. */
    private static Path logBeside(Path report, String name, Path log) {
        return report.resolveSibling(report.getFileName().toString().replaceFirst("\\.html?$", "") + "." + name + "."
                + log.getFileName());
    }

    /** Behind the stacks of earlier repeats, over those of earlier runs. */
    private boolean move(Path log, String stack, Path kept) {
        try {
            Files.writeString(kept, stack, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                    logs.add(kept) ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND);
            Files.deleteIfExists(log);
            return true;
        } catch (IOException e) {
            progress.say("write agent's log " + kept + ": " + e.getMessage() + "; it stays in the run directory");
            return false;
        }
    }

    private OfTransport runIn(RunPlan own, Path directory, boolean keep, String name, String transport,
            Service service, TransportRun.Part part, @Nullable EnclaveRuns together) throws InterruptedException {
        boolean isWithoutAgent = transport.equals(Transports.NO_AGENT);
        if (!isWithoutAgent && !transport.equals(LocalProtocol.NAME)) { // on the host it is memory of this machine
            plan.region().place().assign(directory);
        }
        TransportRun run = new TransportRun(own, name, service, part, progress, hosts, together);
        try (Session session = Transports.open(isWithoutAgent ? LocalProtocol.NAME : transport, directory,
                plan.region().link(), keep)) {
            if (session.place() instanceof MirrorPlace mirror) {
                mirror.onNews(progress::say);
            }
            run.run(session);
        }
        return new OfTransport(name, run.ownPerSecond(), run.capacityPerSecond(), run.around(), run.points(),
                run.whoDecided(),
                joined(faults(name, run.whoDecided()), upgradeFaults(name, run)),
                run.incidents(), run.remarks(), run.cpuEvents(),
                run.upgrades(),
                run.agentResidentBytes(), run.trace());
    }

    private List<RunFault> upgradeFaults(String name, TransportRun run) {
        return plan.agent().upgradeNanos() == 0 || name.equals(Transports.NO_AGENT)
                ? List.of()
                : UpgradeReport.faults(run.upgrades(), run.upgradesBegun());
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
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
