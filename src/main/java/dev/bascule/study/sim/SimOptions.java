package dev.bascule.study.sim;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Topology;
import java.util.function.Consumer;

/**
 * How a simulated host is built and how long it runs. Start from {@link #of} and change what matters.
 *
 * @param cpus CPUs, 1 to {@link EnclaveShape#MAX_CPUS}
 * @param workers tasks per job class that carry jobs
 * @param backlog jobs per class that may wait for a free task; more are rejected
 * @param staged decisions that may be staged per CPU
 * @param channelEntries messages a channel holds, a power of two
 * @param agents 1: a global agent; more: each decides for CPUs of its own ({@link EnclaveShape#agentOf}), as many as CPUs:
 *        an agent for each
 * @param agentCores cores that the agents share; as many as agents: each has its own
 * @param polling idle CPUs poll; off: they sleep until an interrupt
 * @param softNanos soft window: a CPU that waited longer decides by itself
 * @param hardNanos hard limit: an agent that is silent longer is fenced and replaced
 * @param siblings CPUs that share a core: 1 or 2 (CPUs 2n and 2n + 1)
 * @param sockets sockets with the same number of cores each, as in {@link Topology}
 * @param turbo whether few active cores run faster
 * @param tickNanos period of a timer tick on running CPUs; 0: none
 * @param horizonNanos no job arrives after this; residents stop the run here
 * @param warmUpNanos jobs that arrive before this are not measured
 * @param drainNanos how long after the horizon jobs may still end
 * @param measuredAgent agent time is measured on this machine and scaled instead of taken from the profile; such a run
 *        is not repeatable
 * @param spinningWorkers a worker without a job stays on its CPU, and spins, until its agent takes it off, as with ghOSt's
 *        PrioTable; off: it blocks. Spinning needs CPUs that wait by sleeping: an idle one is taken by an interrupt
 * @param dispatcher the agent is a dispatcher at user level: a slice ends also where nothing waits, and the source,
 *        which looks for arrivals between its passes over the CPUs, takes one a look; off: a task goes on until
 *        another waits, and a look takes all
 * @param starvationNanos a task that waits longer while later ones are started is said to starve, and twice as long the
 *        host runs it by itself; 0: never
 */
public record SimOptions(int cpus, int workers, int backlog, int staged, int channelEntries, int agents,
        int agentCores, boolean polling, long softNanos, long hardNanos, int siblings, int sockets, boolean turbo,
        long tickNanos,
        long horizonNanos, long warmUpNanos, long drainNanos, boolean measuredAgent, boolean spinningWorkers,
        boolean dispatcher, long starvationNanos) {
    /** 100 ms. */
    public static final long STARVATION_NANOS = 100_000_000;

    /** Checks the ranges. */
    public SimOptions {
        require("cpus", cpus, 1, EnclaveShape.MAX_CPUS);
        require("workers", workers, 1, 1 << 18);
        require("backlog", backlog, 1, 1 << 24);
        require("agents", agents, 1, cpus);
        require("agentCores", agentCores, 1, EnclaveShape.MAX_CPUS);
        require("siblings", siblings, 1, 2);
        new Topology(cpus, siblings, sockets); // checks them
        if (spinningWorkers && polling) {
            throw new IllegalArgumentException("simulated host: spinning workers with polling CPUs; a CPU that holds a "
                    + "spinning worker is taken by an interrupt, so use CPUs that sleep");
        }
        if (softNanos < 1 || hardNanos <= softNanos) {
            throw new IllegalArgumentException("simulated host: soft window " + softNanos + " ns and hard limit "
                    + hardNanos + " ns; 0 < soft < hard");
        }
        if (horizonNanos < 1 || warmUpNanos < 0 || warmUpNanos >= horizonNanos || drainNanos < 0 || tickNanos < 0
                || starvationNanos < 0) {
            throw new IllegalArgumentException("simulated host: horizon " + horizonNanos + " ns, warm-up " + warmUpNanos
                    + " ns, drain " + drainNanos + " ns, tick " + tickNanos + " ns, starvation " + starvationNanos
                    + " ns; the warm-up must end before the horizon");
        }
    }

    /** Topology of the CPUs: those that share a core or a socket. */
    public Topology topology() {
        return new Topology(cpus, siblings, sockets);
    }

    private static void require(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(
                    "simulated host: " + name + " is " + value + ", must be " + low + " to " + high);
        }
    }

    /**
     * 200 workers, one staged decision, a global agent on a core of its own, polling CPUs, a soft window of 200 us,
     * Wave's hard limit of 20 ms, a tenth of the run as warm-up. A channel holds sixteen messages a CPU, at least 1,024.
     */
    public static SimOptions of(int cpus, long horizonNanos) {
        return new SimOptions(cpus, 200, 1 << 16, 1, entries(cpus), 1, 1, true, 200_000, 20_000_000, 1, 1, false, 0,
                horizonNanos, horizonNanos / 10, horizonNanos, false, false, false, STARVATION_NANOS);
    }

    /** Messages that a global agent's channel holds: for each CPU those of sixteen tasks' ends, a power of two. */
    private static int entries(int cpus) {
        return Math.max(1024, sixteenEach(cpus));
    }

    private static int sixteenEach(int cpus) {
        return Integer.highestOneBit(2 * 16 * Math.max(1, cpus) - 1);
    }

    /** These options while some of them change. */
    private static final class Draft {
        private int workers;
        private int backlog;
        private int staged;
        private int channelEntries;
        private int agents;
        private int agentCores;
        private boolean polling;
        private long softNanos;
        private long hardNanos;
        private int siblings;
        private int sockets;
        private boolean turbo;
        private long tickNanos;
        private long warmUpNanos;
        private long drainNanos;
        private boolean measuredAgent;
        private boolean spinningWorkers;
        private boolean dispatcher;
        private long starvationNanos;

        Draft(SimOptions o) {
            workers = o.workers;
            backlog = o.backlog;
            staged = o.staged;
            channelEntries = o.channelEntries;
            agents = o.agents;
            agentCores = o.agentCores;
            polling = o.polling;
            softNanos = o.softNanos;
            hardNanos = o.hardNanos;
            siblings = o.siblings;
            sockets = o.sockets;
            turbo = o.turbo;
            tickNanos = o.tickNanos;
            warmUpNanos = o.warmUpNanos;
            drainNanos = o.drainNanos;
            measuredAgent = o.measuredAgent;
            spinningWorkers = o.spinningWorkers;
            dispatcher = o.dispatcher;
            starvationNanos = o.starvationNanos;
        }
    }

    private SimOptions with(Consumer<Draft> change) {
        Draft d = new Draft(this);
        change.accept(d);
        return new SimOptions(cpus, d.workers, d.backlog, d.staged, d.channelEntries, d.agents, d.agentCores,
                d.polling, d.softNanos, d.hardNanos, d.siblings, d.sockets, d.turbo, d.tickNanos, horizonNanos,
                d.warmUpNanos, d.drainNanos, d.measuredAgent, d.spinningWorkers, d.dispatcher,
                d.starvationNanos);
    }

    /** With other numbers of workers per class and jobs that may wait. */
    public SimOptions withWorkers(int newWorkers, int newBacklog) {
        return with(d -> {
            d.workers = newWorkers;
            d.backlog = newBacklog;
        });
    }

    /** With another staging depth. */
    public SimOptions withStaged(int newStaged) {
        return with(d -> d.staged = newStaged);
    }

    /** With an agent for each CPU, sharing so many cores. */
    public SimOptions withPerCpuAgents(int cores) {
        return with(d -> {
            d.channelEntries = 1024;
            d.agents = cpus;
            d.agentCores = cores;
        });
    }

    /**
     * With so many agents, each on a core of its own, that share the CPUs. A channel then holds sixteen messages for each CPU of its
     * agent, at least 1,024, or 64 with more than 64 agents.
     */
    public SimOptions withAgents(int number) {
        return with(d -> {
            d.channelEntries = Math.max(number > 64 ? 64 : 1024, sixteenEach((cpus + number - 1) / number));
            d.agents = number;
            d.agentCores = number;
        });
    }

    /** With so many cores that the agents share. */
    public SimOptions withAgentCores(int cores) {
        return with(d -> d.agentCores = cores);
    }

    /** With idle CPUs that poll, or sleep until an interrupt. */
    public SimOptions withPolling(boolean polls) {
        return with(d -> d.polling = polls);
    }

    /** With workers that spin on their CPU between jobs, which sleep otherwise. */
    public SimOptions withSpinningWorkers() {
        return with(d -> {
            d.polling = false;
            d.spinningWorkers = true;
        });
    }

    /** With a dispatcher at user level. */
    public SimOptions withDispatcher() {
        return with(d -> d.dispatcher = true);
    }

    /** With another soft window and hard limit. */
    public SimOptions withWindows(long soft, long hard) {
        return with(d -> {
            d.softNanos = soft;
            d.hardNanos = hard;
        });
    }

    /** With SMT siblings and turbo. */
    public SimOptions withCores(int siblingsPerCore, boolean withTurbo, long tick) {
        return with(d -> {
            d.siblings = siblingsPerCore;
            d.turbo = withTurbo;
            d.tickNanos = tick;
        });
    }

    /** With so many sockets. */
    public SimOptions withSockets(int newSockets) {
        return with(d -> d.sockets = newSockets);
    }

    /** With another warm-up and time to drain. */
    public SimOptions withPhases(long warmUp, long drain) {
        return with(d -> {
            d.warmUpNanos = warmUp;
            d.drainNanos = drain;
        });
    }

    /** With channels of another length. */
    public SimOptions withChannel(int entries) {
        return with(d -> d.channelEntries = entries);
    }

    /** With agent time measured on this machine. */
    public SimOptions withMeasuredAgent() {
        return with(d -> d.measuredAgent = true);
    }

    /** With another limit of starvation, ns; 0: never. */
    public SimOptions withStarvation(long nanos) {
        return with(d -> d.starvationNanos = nanos);
    }
}
