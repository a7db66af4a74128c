package dev.bascule.host.sim;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Events in the order of virtual time, and who handles them. One thread; allocates nothing once it runs. */
final class SimEngine implements SimSignals {
    /** Period of the housekeeping, as in the live host. */
    static final long HOUSE_NANOS = 1_000_000;

    final SimTime time = new SimTime();
    final EnclaveShape shape;
    final SimCosts costs;
    final SimRegion region;
    final SimHostEnd end;
    final Mechanism mechanism;
    final SimStats stats;
    final EventTree events;
    final SimTasks tasks;
    final SimCpus cpus;
    final SimAgents agents;
    final SimWatch watch;
    private final SimOptions options;
    private final SimLoad load;
    private final List<SimFault> faults;
    private final @Nullable SimTrace trace;
    private final int firstAgent;
    private final int firstCore;
    private final int arrivals;
    private final boolean crosses;
    private final int hostCores;
    private final SplittableRandom churn;
    private final double churnGapNanos;
    private int nextFault;

    SimEngine(SimSetup setup, IntFunction<? extends Agent> policies, SimLoad load, @Nullable SimTrace trace) {
        options = setup.options();
        costs = setup.costs();
        faults = setup.faults();
        this.load = load;
        this.trace = trace;
        churn = new SplittableRandom(setup.churn().seed());
        churnGapNanos = 1e9 / (setup.churn().perTaskPerSecond() * SimTasks.count(load, options));
        int n = options.cpus();
        shape = new EnclaveShape(n, SimTasks.count(load, options), options.perCpuAgents() ? n : 1,
                options.channelEntries(), options.staged(), options.topology());
        region = setup.transport().open(shape, costs, time, this);
        end = (SimHostEnd) region.host();
        stats = new SimStats(load.classes(), options.warmUpNanos(), options.horizonNanos());
        mechanism = new Mechanism(end, time, trace == null ? stats : this::settled);
        firstAgent = 3 * n;
        firstCore = firstAgent + shape.agents();
        arrivals = firstCore + SimAgents.cores(options);
        crosses = options.sockets() > 1;
        hostCores = setup.transport().onNic() ? 0 : SimAgents.cores(options);
        events = new EventTree(arrivals + 7);
        tasks = new SimTasks(this, load, options);
        cpus = new SimCpus(this, options, setup.transport().isOnDemand());
        watch = new SimWatch(this, options);
        agents = new SimAgents(this, options, policies);
    }

    private void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        stats.settled(decision, outcome, enforcedNanos);
        if (outcome != Outcome.COMPLETE) {
            note(SimTrace.Kind.REFUSED, decision.slotCpu(), decision.task(), outcome.ordinal());
        }
    }

    void note(SimTrace.Kind kind, int cpu, int task, int argument) {
        SimTrace to = trace;
        if (to != null) {
            to.add(time.nanoTime(), kind, cpu, task, argument);
        }
    }

    // ---- numbers of actors

    int agentEvent(int agent) {
        return firstAgent + agent;
    }

    int coreEvent(int core) {
        return firstCore + core;
    }

    void sampleAt(int cpu, long nanos) {
        events.set(shape.cpus() + cpu, nanos);
    }

    void sleepersChanged(long dueNanos) {
        events.set(arrivals + 1, dueNanos);
    }

    void watchAt(long nanos) {
        events.set(arrivals + 2, nanos);
    }

    void restartAt(long nanos) {
        events.set(arrivals + 4, nanos);
    }

    // ---- signals of the transport's ends

    @Override
    public void agentNews(int agent, long arrivalNanos) {
        agents.news(agent, arrivalNanos);
    }

    @Override
    public void decisionVisible(int cpu, long nanos) {
        cpus.visible(cpu, nanos);
    }

    @Override
    public void kick(int cpu, long nanos) {
        ring(cpu, nanos);
    }

    @Override
    public void ring(int cpu, long nanos) {
        int actor = 2 * shape.cpus() + cpu;
        events.set(actor, Math.min(nanos, events.due(actor)));
    }

    // ---- the run

    /** Runs until all is done or the time is over; returns the time of the last event. */
    long run() {
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
            events.set(agentEvent(agent), 0);
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            events.set(cpu, 0);
        }
        events.set(arrivals, tasks.nextArrivalNanos());
        events.set(arrivals + 3, HOUSE_NANOS);
        armFault();
        armChurn(0);
        long limit = options.horizonNanos() + options.drainNanos();
        long now = 0;
        LinkNotes notes = trace != null && trace.isDetailed() ? new LinkNotes(region.bus, trace) : null;
        while (true) {
            int actor = events.first();
            long next = events.due(actor);
            if (next > limit || isDone(next)) {
                break;
            }
            now = Math.max(now, next);
            step(actor, next);
            if (notes != null) {
                notes.step(time.nanoTime());
            }
        }
        long last = Math.min(limit, Math.max(now, Math.min(options.horizonNanos(), limit)));
        stats.advance(last, cpus.waiting(), mechanism.runnableCount());
        return last;
    }

    /** A round of an agent ends. */
    void round(int agent, long tookNanos, int work) {
        if (trace != null && trace.isDetailed()) {
            note(SimTrace.Kind.ROUND, agent, (int) Math.min(0xff_ffff, tookNanos), work);
        }
    }

    private boolean isDone(long next) {
        boolean noMoreJobs = load.nextArrivalNanos() == SimLoad.NO_MORE
                || load.nextArrivalNanos() > options.horizonNanos();
        boolean residents = !load.residents().isEmpty();
        return next > options.horizonNanos() && residents && noMoreJobs
                || noMoreJobs && stats.inSystem() == 0 && !residents;
    }

    private void step(int actor, long now) {
        time.set(now);
        int runnable = mechanism.runnableCount();
        stats.advance(now, cpus.waiting(), runnable);
        watch.track(now, runnable);
        stats.steps++;
        if (crosses) {
            time.actsOn(socketOf(actor));
        }
        int n = shape.cpus();
        if (actor < n) {
            cpus.event(actor, now);
        } else if (actor < 2 * n) {
            events.set(actor, EventTree.NEVER);
            region.sample(actor - n);
        } else if (actor < firstAgent) {
            events.set(actor, EventTree.NEVER);
            cpus.interrupt(actor - 2 * n, now);
        } else if (actor < firstCore) {
            agents.event(actor - firstAgent, now);
        } else if (actor < arrivals) {
            agents.coreEvent(actor - firstCore, now);
        } else {
            rare(actor - arrivals, now);
        }
    }

    /** Agents' cores on the host are spread over the sockets; a card is on the first, the source of jobs too. */
    private int socketOf(int actor) {
        if (actor < firstAgent) {
            return shape.topology().socketOf(actor % shape.cpus());
        }
        int core = actor < firstCore ? (actor - firstAgent) % Math.max(1, hostCores) : actor - firstCore;
        return hostCores == 0 || actor >= arrivals ? 0 : core * options.sockets() / hostCores;
    }

    private void rare(int which, long now) {
        switch (which) {
            case 0 -> {
                tasks.arrive(now);
                armArrivals();
                workMayHaveCome(now);
            }
            case 1 -> {
                tasks.wakeSleepers(now);
                workMayHaveCome(now);
            }
            case 2 -> {
                events.set(arrivals + 2, EventTree.NEVER);
                watch.event(now);
            }
            case 3 -> {
                events.set(arrivals + 3, now + HOUSE_NANOS);
                time.still(true); // it has the host's lock: what it repeats does not arrive after what is newer
                mechanism.tickTransport();
                time.still(false);
                time.set(now);
                agents.housekeep(now);
            }
            case 4 -> {
                events.set(arrivals + 4, EventTree.NEVER);
                agents.restart(now);
            }
            case 5 -> fault(now);
            default -> {
                armChurn(now);
                tasks.change(churn.nextInt(shape.tasks()));
            }
        }
    }

    private void armArrivals() {
        long next = tasks.nextArrivalNanos();
        events.set(arrivals, next > options.horizonNanos() ? EventTree.NEVER : next);
    }

    /** Jobs came, or a closed loop may have new ones: idle CPUs and overrun slices take notice. */
    void workMayHaveCome(long now) {
        armArrivals();
        cpus.giveWay();
        watch.waits(now);
        if (!agents.isReady() && cpus.waiting() > 0 && mechanism.runnableCount() > 0) {
            watchAt(Math.max(now, time.nanoTime()));
        }
    }

    private void armChurn(long now) {
        double gap = -StrictMath.log(1 - churn.nextDouble()) * churnGapNanos;
        events.set(arrivals + 6, Double.isInfinite(gap) ? EventTree.NEVER : now + 1 + (long) gap);
    }

    private void armFault() {
        events.set(arrivals + 5, nextFault < faults.size() ? faults.get(nextFault).atNanos() : EventTree.NEVER);
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
