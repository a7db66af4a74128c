package dev.bascule.run;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Topology;
import dev.bascule.ffi.Patience;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.host.LiveCounters;
import dev.bascule.host.LiveHost;
import dev.bascule.host.LiveOptions;
import dev.bascule.host.LiveTrace;
import dev.bascule.host.MachineTopology;
import dev.bascule.host.Session;
import dev.bascule.host.Upgrade;
import dev.bascule.registry.PolicySpec;
import dev.bascule.report.HistogramBar;
import dev.bascule.report.Percentiles;
import dev.bascule.web.Hosts;
import dev.bascule.web.Incidents;
import dev.bascule.workload.RequestSource;
import dev.bascule.workload.Service;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Runs all load points over one transport: one host, one agent or several. */
public final class TransportRun {
    /** Tasks there is room for. */
    public static final int TASKS = 256;
    private static final long DRAIN_NANOS = 30_000_000_000L;
    private static final long READY_NANOS = 20_000_000_000L;
    private static final long UPGRADE_NANOS = 500_000_000L;
    /** Load that keeps the host busy without a gap, as a part of what the service alone would allow. */
    private static final double FLOOD = 1.5;
    /** Load of a later flood, as a multiple of what the host answered under the one before. */
    private static final double NEXT_FLOOD = 2;
    /** How many times faster a warm host may be than a cold one. */
    private static final double COLD = 10;
    private static final long FLOOD_NANOS = 400_000_000L;
    /** Part of a capacity that no load may be above if loads are parts of another transport's. */
    private static final double BELOW = 0.9;
    private static final int FLOODS = 4;

    private final RunPlan plan;
    private final String name;
    private final Service service;
    private final Progress progress;
    private final Part part;
    private double capacityPerSecond;
    private double ownPerSecond;
    private final List<PointResult> points = new ArrayList<>();
    private final List<PointResult> around = new ArrayList<>();
    private List<String> incidents = List.of();
    private List<String> remarks = List.of();
    private List<String> cpuEvents = List.of();
    private List<Upgrade> upgrades = List.of();
    private int upgradesBegun;
    private long agentResidentBytes;
    private @Nullable LiveTrace trace;
    private final Hosts hosts;
    private final @Nullable EnclaveRuns together;
    private @Nullable WhoDecided whoDecided;
    private @Nullable RequestedKill kill;
    private LongSupplier reversals = () -> 0;

    /**
     * Part of the work that this run does.
     *
     * @param capacity the capacity is measured
     * @param perSecond what a load of 1 stands for, requests/s; infinity: the capacity
     * @param isFixed whether it stays so if the capacity turns out to be less than the loads need; else it is the capacity then
     * @param alonePerSecond what the service alone would allow, requests/s: where measuring the capacity starts
     */
    record Part(boolean capacity, double perSecond, boolean isFixed, double alonePerSecond) {}

    /**
     * @param name of the transport, or {@link Transports#NO_AGENT}, or of an enclave
     * @param hosts follows the host while it runs
     * @param together the runs of enclaves that share its CPUs; null: it has them alone
     */
    TransportRun(RunPlan plan, String name, Service service, Part part, Progress progress, Hosts hosts,
            @Nullable EnclaveRuns together) {
        this.together = together;
        this.name = name;
        this.part = part;
        this.capacityPerSecond = part.capacity() ? part.alonePerSecond() : part.perSecond();
        this.hosts = hosts;
        this.plan = plan;
        this.service = service;
        this.progress = progress;
    }

    private DecisionListener tracing(DecisionListener listener) {
        return trace == null ? listener : trace.listening(listener);
    }

    /** Trace of what happened; null unless the plan asks for one. */
    @Nullable
    LiveTrace trace() {
        return trace;
    }

    private LiveOptions options() {
        int carriers = together == null ? plan.host().carriers() : 1; // other enclaves' CPUs want them as well
        return new LiveOptions(plan.host().workers(), carriers, 1 << 16, plan.host().patience().softNanos(),
                plan.host().patience().hardNanos(),
                plan.host().polling()).withTrace(trace)
                .withStarvation(plan.host().starvationNanos()).withTick(plan.host().tickNanos())
                .withJobsInARow(plan.host().jobsInARow())
                .withColdLimit(plan.host().patience().coldNanos());
    }

    /** Runs; results are there afterwards even if a point did not drain. */
    void run(Session session) throws InterruptedException {
        trace = plan.tracing() ? LiveTrace.create(session.directory(), plan.host().cpus()) : null;
        EnclaveShape shape = new EnclaveShape(plan.host().cpus(), TASKS,
                isWithoutAgent() ? 1 : plan.agent().count(), plan.host().channelEntries(),
                plan.host().staged(), topology());
        PointRecorder recorder = new PointRecorder(TASKS, service.mix().kinds().size());
        RequestJobs jobs = new RequestJobs(service, recorder, new RequestHints(service.mix(), plan.load().nices(),
                plan.load().cpus()),
                source(0.01, 1_000, 0));
        MechanismEnd end = session.openHost(shape);
        reversals = () -> end.counters().reversals;
        RunAgents agents = isWithoutAgent()
                ? RunAgents.none(plan, session, policy(), progress)
                : RunAgents.of(plan, session, policy(), progress);
        LiveOptions options = options();
        try (Incidents said = Incidents.create(session.directory());
                CounterPage page = CounterPage.create(session.directory(), name);
                ScheduledExecutorService faults = Executors.newSingleThreadScheduledExecutor();
                ScheduledExecutorService publisher = Executors.newSingleThreadScheduledExecutor();
                LiveHost host = new LiveHost(end,
                        new Mechanism(end, System::nanoTime, tracing(page.counting(recorder))),
                        options, agents.supervisors(),
                        jobs);
                EnclaveParticipant participant = new EnclaveParticipant(together, name, host)) {
            bind(host);
            page.set(Counter.CPUS, shape.cpus());
            LivePublisher live = new LivePublisher(page, said, host, recorder);
            publisher.scheduleWithFixedDelay(live::publish, 100, 100, TimeUnit.MILLISECONDS);
            AgentUpgrades requests = new AgentUpgrades(new Mailbox(session.directory(), UpgradeAnswer.SUBJECT), host,
                    agents::upgrade, agents.supervisors().size());
            publisher.scheduleWithFixedDelay(requests::look, 100, 50, TimeUnit.MILLISECONDS);
            CpuRequests cpuRequests = new CpuRequests(new Mailbox(session.directory(), CpuRequests.SUBJECT),
                    host.cpus(), together != null);
            publisher.scheduleWithFixedDelay(cpuRequests::look, 100, 20, TimeUnit.MILLISECONDS);
            hosts.follow(session.directory());
            participant.start();
            if (!isWithoutAgent()) {
                awaitAgent(host, session);
            }
            play(host, agents, jobs, recorder, live, faults, participant);
            note(host, agents, recorder, participant);
            publisher.shutdown();
            live.publish(); // the last figures
            hosts.end();
            faults.shutdownNow();
        }
    }

    private Topology topology() {
        MachineTopology machine = plan.host().machine();
        return machine == null ? Topology.flat(plan.host().cpus()) : machine.topology();
    }

    private void bind(LiveHost host) {
        MachineTopology machine = plan.host().machine();
        if (machine != null) {
            host.bindTo(machine.cpus());
            progress.say(name + ": " + machine.describe());
        }
    }

    private void play(LiveHost host, RunAgents agents, RequestJobs jobs, PointRecorder recorder, LivePublisher live,
            ScheduledExecutorService faults, EnclaveParticipant participant) throws InterruptedException {
        progress.say(name + ": warming up");
        point(host, agents, jobs, recorder, live, plan.load().parts().get(0),
                part.capacity() ? plan.load().warmNanos() / 2 : plan.load().warmNanos());
        if (part.capacity()) {
            progress.say(name + ": measuring the capacity");
            measureCapacity(host, agents, jobs, recorder, live);
        }
        around.addAll(points);
        points.clear();
        participant.beginLoads();
        if (!isWithoutAgent()) {
            schedule(faults, host, agents);
        }
        plan.host().faults().forEach(fault -> fault.schedule(faults, host.cpus(), progress));
        for (double load : plan.load().parts()) {
            progress.say("%s: load %.0f %% (%.0f requests/s)".formatted(name, load * 100,
                    load * capacityPerSecond));
            point(host, agents, jobs, recorder, live, load, plan.load().pointNanos());
        }
        endUpgrades(host, agents, jobs, recorder, live);
        participant.end();
    }

    /** Goes on with the last load while an upgrade is under way: a successor may take seconds to start. */
    private void endUpgrades(LiveHost host, RunAgents agents, RequestJobs jobs, PointRecorder recorder,
            LivePublisher live) throws InterruptedException {
        int begun = agents.upgradesBegun();
        int measured = points.size();
        Patience patience = new Patience(READY_NANOS);
        while (host.upgrades().size() < begun && host.isAgentExpected() && !patience.isOver()) {
            if (points.size() == measured) {
                progress.say(name + ": waiting for the upgrade");
            }
            point(host, agents, jobs, recorder, live, plan.load().parts().getLast(), UPGRADE_NANOS);
        }
        List<PointResult> further = points.subList(measured, points.size());
        around.addAll(further);
        further.clear();
    }

    /** Keeps what is asked for once the host has gone. */
    private void note(LiveHost host, RunAgents agents, PointRecorder recorder, EnclaveParticipant participant) {
        agentResidentBytes = agents.residentBytes();
        incidents = host.incidents();
        cpuEvents = participant.cpuEvents();
        upgrades = host.upgrades();
        upgradesBegun = agents.upgradesBegun();
        whoDecided = whoDecided(host, recorder.faults());
        remarks = agents.remarks();
    }

    /** Schedules the kill and the upgrades of the agent that the plan asks for. */
    private void schedule(ScheduledExecutorService faults, LiveHost host, RunAgents agents) {
        AgentProcess process = agents.firstProcess();
        if (plan.agent().killNanos() > 0 && process != null) {
            RequestedKill asked = new RequestedKill(host, process);
            kill = asked;
            faults.schedule(asked, plan.agent().killNanos(), TimeUnit.NANOSECONDS);
        }
        agents.schedule(faults, host);
    }

    private WhoDecided whoDecided(LiveHost host, PolicyFaults refused) {
        RequestedKill asked = kill;
        long fences = Math.max(0,
                host.counters().fences() - (asked == null ? 0 : asked.fences()) - host.agentPauses());
        long local = points.stream().mapToLong(PointResult::localDecisions).sum();
        long excused = asked == null ? 0 : Math.min(local, asked.decisions());
        return new WhoDecided(points.stream().mapToLong(PointResult::decisions).sum(), local - excused, excused, fences,
                !host.isAgentExpected(), incidents.isEmpty() ? "" : incidents.getLast(), refused.count(),
                refused.first(), host.waits().ended());
    }

    /** Floods the host until that makes it no faster: the first floods also compile the code. */
    private void measureCapacity(LiveHost host, RunAgents agents, RequestJobs jobs, PointRecorder recorder,
            LivePublisher live) throws InterruptedException {
        double best = 0;
        double last = points.getLast().servedPerSecond();
        for (int i = 0; i < FLOODS && last > 1.2 * best; i++) {
            best = last;
            // no more than a slow machine works off in seconds, to judge by how it did while it was cold
            double flood = Math.min(FLOOD, (i == 0 ? COLD : NEXT_FLOOD) * last / capacityPerSecond);
            point(host, agents, jobs, recorder, live, flood, Math.min(plan.load().pointNanos() / 2, FLOOD_NANOS));
            last = points.getLast().servedPerSecond();
        }
        ownPerSecond = Math.max(best, last);
        double highest = Collections.max(plan.load().parts());
        capacityPerSecond = part.isFixed() || part.perSecond() * highest <= BELOW * ownPerSecond
                ? part.perSecond()
                : ownPerSecond;
    }

    private boolean isWithoutAgent() {
        return name.equals(Transports.NO_AGENT);
    }

    /** With what follows from the workload. */
    private PolicySpec policy() {
        double[] work = service.mix().kinds().stream().mapToDouble(kind -> kind.share() * kind.serviceNanos())
                .toArray();
        return plan.agent().policy().withDefault("work", PolicySpec.numbers(work))
                .withDefault("seed", Long.toString(plan.load().seed()));
    }

    private void awaitAgent(LiveHost host, Session session) throws InterruptedException {
        Patience patience = new Patience(Math.max(READY_NANOS, 3 * plan.host().patience().hardNanos()));
        while (!host.isAgentReady() && host.isAgentExpected() && !host.hasFailed() && !patience.isOver()) {
            Thread.sleep(1);
        }
        if (!host.isAgentReady() && !host.hasFailed()) {
            List<String> incidents = host.incidents();
            String objection = session.objection();
            String why = objection.isEmpty() && !incidents.isEmpty() ? incidents.getLast() : objection;
            progress.say("no agent yet; the host continues with its own policy" + (why.isEmpty() ? "" : ": " + why));
        }
    }

    private RequestSource source(double load, long durationNanos, int point) {
        return new RequestSource(service.mix(), plan.load().arrivals(), Math.max(1, load * capacityPerSecond),
                durationNanos, System.nanoTime() + 1_000_000, plan.load().seed() * 1000 + point);
    }

    private void point(LiveHost host, RunAgents agents, RequestJobs jobs, PointRecorder recorder,
            LivePublisher live, double load, long durationNanos) throws InterruptedException {
        RequestSource source = source(load, durationNanos, points.size() + 1);
        jobs.use(source);
        live.nextPoint();
        LiveCounters before = host.counters();
        double agentBefore = agents.cpuSeconds();
        double hostBefore = ProcessUse.ownCpuSeconds();
        long reversalsBefore = reversals.getAsLong();
        long from = System.nanoTime();
        if (!host.serve(jobs, durationNanos + drainNanos())) {
            throw new Failure(notDrained(load, recorder, before, host));
        }
        double seconds = (System.nanoTime() - from) / 1e9;
        LiveCounters after = host.counters();
        long aborted = recorder.count(Outcome.ABORTED) + recorder.count(Outcome.POISONED)
                + recorder.count(Outcome.NO_AGENT) + reversals.getAsLong() - reversalsBefore;
        points.add(new PointResult(load, load * capacityPerSecond, durationNanos / 1e9, seconds,
                source.ledger().summary(),
                Percentiles.known(recorder.latency()), recorder.classes(service.mix().names()),
                Percentiles.known(recorder.window()), HistogramBar.of(recorder.window(), 10), recorder.enforced(),
                recorder.stale(),
                aborted,
                after.prestageHits() - before.prestageHits(), after.localDecisions() - before.localDecisions(),
                after.preemptions() - before.preemptions(), after.fences() - before.fences(),
                Math.max(0, agents.cpuSeconds() - agentBefore), ProcessUse.ownCpuSeconds() - hostBefore,
                (after.busyNanos() - before.busyNanos()) / 1e9));
    }

    private String notDrained(double load, PointRecorder recorder, LiveCounters before, LiveHost host) {
        LiveCounters after = host.counters();
        List<String> all = host.incidents();
        return "%.0f requests/s were more than the host could work off in the %d s after them (%d served; %d decisions of the agent, %d of the host, %d fences%s); say what it can take with --capacity"
                .formatted(load * capacityPerSecond, drainNanos() / 1_000_000_000, recorder.latency().count(),
                        recorder.enforced(), after.localDecisions() - before.localDecisions(),
                        after.fences() - before.fences(), all.isEmpty() ? "" : ", last: " + all.getLast());
    }

    /** A host that waits for its agent that long may be long in working off its requests. */
    private long drainNanos() {
        return Math.max(DRAIN_NANOS, plan.host().patience().hardNanos());
    }

    /** Requests/s that the host answered when it was offered more; NaN if that was not measured. */
    double ownPerSecond() {
        return part.capacity() ? ownPerSecond : Double.NaN;
    }

    /** Requests/s that a load of 1 stands for. */
    double capacityPerSecond() {
        return capacityPerSecond;
    }

    /** Points served before the first load point, and after the last while an upgrade was under way. */
    List<PointResult> around() {
        return List.copyOf(around);
    }

    List<PointResult> points() {
        return List.copyOf(points);
    }

    /** After {@link #run}. */
    WhoDecided whoDecided() {
        return Objects.requireNonNull(whoDecided);
    }

    List<String> incidents() {
        return incidents;
    }

    /** Remarks on the policy, beside its faults. */
    List<String> remarks() {
        return remarks;
    }

    /** Events of CPUs. */
    List<String> cpuEvents() {
        return cpuEvents;
    }

    /** Upgrades of the agent that have ended. */
    List<Upgrade> upgrades() {
        return upgrades;
    }

    /** Upgrades that were planned and have begun. */
    int upgradesBegun() {
        return upgradesBegun;
    }

    long agentResidentBytes() {
        return agentResidentBytes;
    }
}
