package dev.bascule.study.sim;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.StarvationWatch;
import dev.bascule.agent.Transaction;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Takes events in the order of virtual time and hands each to the part that it concerns: tasks, CPUs, agents or the
 * watchdog. The engine knows all of them and none knows the engine; CPUs know the other three, agents the watchdog. One
 * thread; allocates nothing once it runs.
 */
final class SimEngine implements SimSignals, SimEvent.Handler {
    /** Period of the housekeeping, as in the live host. */
    static final long HOUSEKEEPING_NANOS = 1_000_000;

    private final SimContext context;
    private final SimOptions options;
    private final EnclaveShape shape;
    private final SimTime time = new SimTime();
    private final SimEvents events;
    private final SimRegion region;
    private final SimHostEnd end;
    private final Mechanism mechanism;
    private final SimStats stats;
    private final TraceWriter trace;
    private final SimTasks tasks;
    private final SimWatch watch;
    private final SimAgents agents;
    private final SimCpus cpus;
    private final StarvationWatch starvation;
    private final SimLoad load;
    private final List<SimFault> faults;
    private final int hostCores;
    private SimInterference neighbours = SimInterference.NONE;
    private final SplittableRandom churn;
    private final double churnGapNanos;
    private int nextFault;
    private boolean inRound;
    private boolean isInterruptible;
    private long startedNanos;
    private long nowNanos;

    /** A host with one enclave. */
    SimEngine(SimSetup setup, IntFunction<? extends Agent> policies, SimLoad load, @Nullable SimTrace writeTo) {
        this(setup, policies, load, writeTo, SimCard.of(SimAgents.cores(setup.options()), setup.costs()));
    }

    /** An enclave on a card that others may use as well. */
    SimEngine(SimSetup setup, IntFunction<? extends Agent> policies, SimLoad load, @Nullable SimTrace writeTo,
            SimCard card) {
        options = setup.options();
        faults = setup.faults();
        this.load = load;
        churn = new SplittableRandom(setup.churn().seed());
        churnGapNanos = 1e9 / (setup.churn().perTaskPerSecond() * SimTasks.count(load, options));
        int n = options.cpus();
        shape = new EnclaveShape(n, SimTasks.count(load, options), options.agents(),
                options.channelEntries(), options.staged(), options.topology());
        region = setup.transport().open(shape, setup.costs(), time, this);
        region.bus.shares(card);
        end = (SimHostEnd) region.host();
        stats = new SimStats(load.classes(), load.residents().size(), options.warmUpNanos(), options.horizonNanos());
        trace = new TraceWriter(writeTo, time, region.bus);
        mechanism = new Mechanism(end, time, this::settled);
        hostCores = setup.transport().onNic() ? 0 : card.cores().count();
        events = new SimEvents(shape, card.cores().count());
        context = new SimContext(options, setup.costs(), shape, time, events, region, end, mechanism, stats, trace);
        tasks = new SimTasks(context, load);
        watch = new SimWatch(context);
        agents = new SimAgents(context, watch, policies, card.cores());
        isInterruptible = !options.measuredAgent(); // what others do would be measured as well
        starvation = StarvationWatch.virtual(mechanism, options.starvationNanos());
        cpus = new SimCpus(context, tasks, agents, watch, setup.transport().isOnDemand(), starvation);
    }

    private void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        stats.settled(decision, outcome, enforcedNanos);
        if (decision.task() == Transaction.TARGET_NULL && outcome == Outcome.COMPLETE
                && tasks.spinning().leaves(decision.slotCpu())) {
            time.charge(context.costs().kernel().contextSwitch()); // it takes off who spins there
        }
        if (outcome != Outcome.COMPLETE) {
            trace.add(SimTrace.Kind.REFUSED, decision.slotCpu(), decision.task(), outcome.ordinal());
        }
    }

    // ---- signals of the transport's ends

    @Override
    public void reach(long nanos) {
        if (inRound && (events.firstNanos() < nanos || neighbours.nextNanos() < nanos)) {
            others(nanos);
        }
    }

    /** Rounds of other agents are then one step each; what may end agents waits for the end of the round. */
    private void others(long nanos) {
        inRound = false;
        isInterruptible = false;
        long now = time.nanoTime();
        int socket = time.socket();
        for (long next = events.firstNanos(); next < nanos && !isFateful(events.first()); next = events.firstNanos()) {
            if (neighbours.nextNanos() < next) {
                neighbours.until(next);
            } else {
                step(events.first(), next);
                trace.link();
            }
        }
        neighbours.until(nanos);
        time.set(now);
        time.actsOn(socket);
        isInterruptible = true;
        inRound = true;
    }

    private static boolean isFateful(SimEvent event) {
        return event instanceof SimEvent.Single single && single != SimEvent.Single.ARRIVAL
                && single != SimEvent.Single.WAKE && single != SimEvent.Single.CHURN;
    }

    @Override
    public void agentNews(int agent, long arrivalNanos) {
        agents.news(agent, arrivalNanos);
    }

    @Override
    public void decisionVisible(int cpu, long nanos, long lookedNanos) {
        cpus.visible(cpu, nanos, lookedNanos);
    }

    @Override
    public boolean isPolling(int cpu) {
        return cpus.isPolling(cpu);
    }

    @Override
    public void kick(int cpu, long nanos) {
        events.interruptAt(cpu, nanos);
    }

    @Override
    public void ring(int cpu, long nanos) {
        cpus.rang(cpu);
        events.interruptAt(cpu, nanos);
    }

    // ---- the run

    /** Runs until all is done or the time is over. */
    SimResult run() {
        boot();
        while (!isOver()) {
            step();
        }
        return end();
    }

    /** Other enclaves go on while this one is in the middle of a round. */
    void among(SimInterference others) {
        neighbours = others;
    }

    /** Whether all is done, or the time is over. */
    boolean isOver() {
        return nextNanos() > limitNanos() || isDone(nextNanos());
    }

    private long limitNanos() {
        return options.horizonNanos() + options.drainNanos();
    }

    /** The run is over by itself. */
    SimResult end() {
        return end(Math.min(limitNanos(), Math.max(nowNanos, options.horizonNanos())));
    }

    /** When the next event is due. */
    long nextNanos() {
        return events.firstNanos();
    }

    /** Takes that event. */
    void step() {
        long next = events.firstNanos();
        nowNanos = Math.max(nowNanos, next);
        step(events.first(), next);
        trace.link();
    }

    /** How far it has come, in the middle of a round somewhat further than its next event says. */
    long reachedNanos() {
        return stats.reachedNanos();
    }

    /** The load has another next arrival than it had at the last event. */
    void offered() {
        tasks.armArrivals();
    }

    /** The run is over at that time, or when its last round is, which may have gone on beyond it. */
    SimResult end(long atNanos) {
        long lastNanos = Math.max(atNanos, stats.reachedNanos());
        mark(lastNanos);
        stats.advance(lastNanos, cpus.waiting(), mechanism.runnableCount());
        cpus.over(lastNanos);
        return SimResult.of(context, agents, lastNanos, System.nanoTime() - startedNanos);
    }

    /** Boots without cost, since time has not begun; then everybody looks once. */
    void boot() {
        startedNanos = System.nanoTime();
        mechanism.commit();
        agents.boot();
        for (int cpu = 0; cpu < shape.cpus() && !options.polling(); cpu++) {
            end.enterSleep(cpu);
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            mechanism.want(cpu);
            region.sampleDue(cpu);
        }
        mechanism.commit();
        region.begin();
        for (int agent = 0; agent < shape.agents(); agent++) {
            events.roundAt(agent, 0);
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            events.cpuAt(cpu, 0);
        }
        tasks.armArrivals();
        events.at(SimEvent.Single.HOUSEKEEPING, HOUSEKEEPING_NANOS);
        armFault();
        armChurn(0);
    }

    private boolean isDone(long next) {
        boolean noMoreJobs = !tasks.mayArrive();
        boolean residents = !load.residents().isEmpty();
        return next > options.horizonNanos() && residents && noMoreJobs
                || noMoreJobs && stats.inSystem() == 0 && !residents;
    }

    private void mark(long now) {
        while (stats.isMarkDue(now)) {
            stats.mark(cpus.jobWorkBy(stats.markNanos()));
        }
    }

    private void step(SimEvent event, long now) {
        time.set(now);
        mark(now);
        int runnable = mechanism.runnableCount();
        stats.advance(now, cpus.waiting(), runnable);
        watch.track(now, runnable);
        stats.steps++;
        if (options.sockets() > 1) {
            time.actsOn(socketOf(event));
        }
        event.to(this, now);
    }

    @Override
    public void cpu(int cpu, long nowNanos) {
        cpus.event(cpu, nowNanos);
    }

    @Override
    public void prefetch(int cpu) {
        events.clearFirst();
        region.sample(cpu);
    }

    @Override
    public void interrupt(int cpu, long nowNanos) {
        events.takeInterrupt(cpu);
        cpus.interrupt(cpu, nowNanos);
    }

    @Override
    public void round(int agent, long nowNanos) {
        inRound = isInterruptible;
        agents.event(agent, nowNanos);
        inRound = false;
    }

    @Override
    public void core(int core, long nowNanos) {
        inRound = isInterruptible;
        agents.coreEvent(core, nowNanos);
        inRound = false;
    }

    /** Agents' cores on the host are spread over the sockets; a card is on the first, the source of jobs too. */
    private int socketOf(SimEvent event) {
        return switch (event) {
            case SimEvent.Cpu(int cpu) -> shape.topology().socketOf(cpu);
            case SimEvent.Prefetch(int cpu) -> shape.topology().socketOf(cpu);
            case SimEvent.Interrupt(int cpu) -> shape.topology().socketOf(cpu);
            case SimEvent.Round(int agent) -> socketOfCore(agents.coreOf(agent));
            case SimEvent.Core(int core) -> socketOfCore(core);
            case SimEvent.Single _ -> 0;
        };
    }

    private int socketOfCore(int core) {
        return hostCores == 0 ? 0 : core * options.sockets() / hostCores;
    }

    @Override
    public void single(SimEvent.Single event, long now) {
        switch (event) {
            case ARRIVAL -> {
                tasks.arrive(now);
                cpus.workMayHaveCome(now);
            }
            case WAKE -> {
                tasks.wakeSleepers(now);
                cpus.workMayHaveCome(now);
            }
            case WATCHDOG -> {
                events.clearFirst();
                watchdog(now);
            }
            case HOUSEKEEPING -> {
                events.at(event, now + HOUSEKEEPING_NANOS);
                time.freeze(true); // it has the host's lock: what it repeats does not arrive after what is newer
                mechanism.tickTransport();
                time.freeze(false);
                time.set(now);
                agents.housekeep(now);
                starve(now);
            }
            case RESTART -> {
                events.clearFirst();
                agents.restart(now);
            }
            case FAULT -> fault(now);
            case CHURN -> {
                armChurn(now);
                tasks.change(churn.nextInt(shape.tasks()));
            }
        }
    }

    private void starve(long now) {
        String starves = starvation.look(now);
        if (starves != null) {
            stats.starves(now, starves);
        }
        if (starvation.overdue() != StarvationWatch.NONE) {
            cpus.helpStarved(starvation.overdue(), now);
        }
    }

    private void watchdog(long now) {
        if (watch.fires(now, cpus.waiting())) {
            if (agents.isReady() && watch.isAgentSilent(now)) {
                agents.fence("no decision within " + options.hardNanos() / 1000 + " us", now);
            }
            cpus.helpOverdue(now);
        }
    }

    private void armChurn(long now) {
        double gap = -StrictMath.log(1 - churn.nextDouble()) * churnGapNanos;
        events.at(SimEvent.Single.CHURN, Double.isInfinite(gap) ? SimEvents.NEVER : now + 1 + (long) gap);
    }

    private void armFault() {
        events.at(SimEvent.Single.FAULT, nextFault < faults.size() ? faults.get(nextFault).atNanos() : SimEvents.NEVER);
    }

    private void fault(long now) {
        SimFault fault = faults.get(nextFault++);
        armFault();
        if (fault.pauseNanos() == 0) {
            agents.kill();
        } else {
            agents.pause(now, now + fault.pauseNanos());
        }
    }
}
