package dev.bascule.study.experiment;

import dev.bascule.agent.Agent;
import dev.bascule.config.CostProfile;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.GhostShinjukuAgent;
import dev.bascule.policy.ShinjukuAgent;
import dev.bascule.study.sim.ExtendedLoad;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.OpenLoad;
import dev.bascule.study.sim.ServiceTime;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimLoad;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTransports;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One of the systems of the Skyloft paper, as the simulated host plays it: the same number of CPUs, 200 workers, Poisson arrivals
 * of jobs whose kind nobody knows.
 *
 * @param cpus for jobs
 * @param profile what everything costs
 * @param policy of the agent, or of the dispatcher
 * @param options beside these
 * @param extraNanos of each job: its own way of telling when it is done
 * @param bestEffort tasks that are there all the time and take what jobs leave
 */
record GhostSystem(int cpus, CostProfile profile, Supplier<Agent> policy, UnaryOperator<SimOptions> options,
        double extraNanos, int bestEffort) {
    private static final int WORKERS = 200;
    private static final double SHORT = 4_000;
    private static final double LONG = 10_000_000;
    private static final double QUANTUM = 30_000;
    /** A GET spins until the thread's CPU clock says so, which takes a system call a look. */
    static final double CLOCK_NANOS = 350;
    static final Dispatcher SHINJUKU = new Dispatcher(4_713, 4_787, 10_610_735);
    static final Dispatcher SKYLOFT = new Dispatcher(4_615, 5_180, 10_388_053);
    /** Time that is not a job's own of each 30 us under Skyloft without a quantum, from its 10.85 ms. */
    static final double SKYLOFT_TIMER_NANOS = QUANTUM * (10_849_783 - LONG) / LONG;

    /** ghOSt's Shinjuku: 20 CPUs in the enclave, of which the global agent has one. */
    static GhostSystem ghost(CostProfile profile, int quantumMicros) {
        return new GhostSystem(19, profile, () -> new GhostShinjukuAgent(quantumMicros * 1000L, true),
                SimOptions::withSpinningWorkers, CLOCK_NANOS, 0);
    }

    /**
     * Linux as the paper ran it: a dispatcher hands jobs to 19 workers, each a thread on a CPU of its own, and they run to
     * completion. The dispatcher stands in for the agent; waking a worker is an interrupt, a switch and its caches.
     */
    static GhostSystem linux(CostProfile profile) {
        String why = "a dispatcher in the place of the agent";
        CostProfile plain = profile.with("hostAgent.round", 0, why).with("hostAgent.message", 50, why)
                .with("hostAgent.commit", 0, why);
        return new GhostSystem(19, plain, FifoAgent::new, o -> o.withPolling(false), CLOCK_NANOS, 0);
    }

    /**
     * Times that say how a dispatcher at user level works, ns: those of jobs of 4 us and of 10 ms at the lowest load
     * with 30 us. The least job came as the dispatcher looked, the median half a pass before; the long one was taken
     * off after every quantum.
     *
     * @param least of all jobs; as the median, of the raw rows that serve the fit
     * @param median of all jobs
     * @param longest of the jobs of 10 ms nearly all
     */
    record Dispatcher(double least, double median, double longest) {
        private static final double LINE = 100;
        private static final double STEP = 50;
        /** Way from the request to its CPU: two lines, an entry, a decision and a switch. */
        private static final double WAY = 3 * LINE + 2 * STEP;

        double preemptionNanos() {
            return QUANTUM * (longest - LONG) / LONG;
        }

        /**
         * Rest of a preemption beside the way of a message and of a decision and the wait for the dispatcher's look.
         */
        private double interruptNanos() {
            return preemptionNanos() - requestNanos() - WAY - STEP;
        }

        private double passNanos() {
            return 2 * (median - least);
        }

        private double requestNanos() {
            return least - SHORT - WAY;
        }
    }

    /**
     * Systems Shinjuku itself and Skyloft, as their dispatchers' sources have it (stanford-mast/shinjuku
     * dp/core/dispatcher.c; yhtzd/skyloft libos/sched/policy/sq.c and synthetic/rocksdb/shinjuku.cc): one thread
     * passes over 20 workers that poll, hands to each that is free the first of one queue, and sends an interrupt to
     * whose task has run for the quantum since it was handed out, whether anything waits or not; what was interrupted
     * goes to the tail. Skyloft's takes one new request between two passes. No CPU has a timer of its own
     * (yhtzd/skyloft libos/platform/mod.c). Jobs count loops, and look at no clock. Without a quantum nothing is
     * preempted, and what is not a job's own comes as often as with 30 us.
     */
    static GhostSystem userLevel(CostProfile profile, int quantumMicros, Dispatcher dispatcher) {
        CostProfile user = profile;
        for (Map.Entry<String, Double> cost : Map.ofEntries(Map.entry("kernel.entry", 0.0),
                Map.entry("kernel.contextSwitch", Dispatcher.LINE), Map.entry("kernel.coldStart", 0.0),
                Map.entry("kernel.commit", 0.0), Map.entry("kernel.message", dispatcher.requestNanos()),
                Map.entry("kernel.sourceLook", dispatcher.passNanos()), Map.entry("hostAgent.round", 0.0),
                Map.entry("hostAgent.message", Dispatcher.STEP), Map.entry("hostAgent.decision", Dispatcher.STEP),
                Map.entry("hostAgent.poll", Dispatcher.STEP), Map.entry("hostAgent.commit", 0.0)).entrySet()) {
            user = user.with(cost.getKey(), cost.getValue(),
                    "a dispatcher at user level, from its fastest and median job");
        }
        user = user.with("kernel.interrupt", dispatcher.interruptNanos(),
                "a job of 10 ms at the lowest load, 30 us").with("kernel.tick", SKYLOFT_TIMER_NANOS,
                        "a job of 10 ms at the lowest load without a quantum");
        long quantum = quantumMicros * 1000L;
        return new GhostSystem(20, user, quantum == 0 ? FifoAgent::new : () -> new ShinjukuAgent(quantum),
                o -> quantum == 0
                        ? o.withDispatcher().withCores(1, false, Math.round(QUANTUM + SKYLOFT_TIMER_NANOS))
                        : o.withDispatcher(),
                0, 0);
    }

    /** This system beside so many tasks that take what jobs leave. */
    GhostSystem withBestEffort(int tasks) {
        return new GhostSystem(cpus, profile, policy, o -> options.apply(o).withStarvation(0), extraNanos, tasks);
    }

    /** The mix of this name: short and long jobs, us. */
    static JobMix mix(String name, double extraNanos) {
        double[] micros = java.util.Arrays.stream(name.split("-")).mapToDouble(Double::parseDouble).toArray();
        if (micros.length == 1) {
            return JobMix.one(name, MeasuredCurve.SOURCE, time(micros[0], extraNanos));
        }
        double longShare = name.equals("1-100") ? 0.5 : 0.005;
        return new JobMix(name, MeasuredCurve.SOURCE, List.of(
                new JobMix.Kind("short", 1 - longShare, time(micros[0], extraNanos)),
                new JobMix.Kind("long", longShare, time(micros[1], extraNanos))));
    }

    private static ServiceTime time(double micros, double extraNanos) {
        return ServiceTime.fixed(micros * 1e3 + extraNanos);
    }

    private SimLoad load(SimLoad jobs, long seed) {
        return bestEffort == 0
                ? jobs
                : new ExtendedLoad(jobs, List.of(new ExtendedLoad.Residents(bestEffort,
                        new SimLoad.Resident(0, 19, -1))), seed);
    }

    /** Length of a run, and the part of it after which jobs count. */
    record Span(long horizonNanos, long warmUpNanos) {}

    /** Time of as many jobs as the lab has, and at least as long as so many of the longest kind one after the other. */
    Span span(Lab lab, String mix, double perSecond, int longestJobs) {
        double longest = mix(mix, extraNanos).kinds().stream().mapToDouble(k -> k.time().mean()).max().orElse(0);
        long horizon = Math.round(Math.max(lab.jobs() / perSecond * 1e9, longestJobs * longest));
        return new Span(horizon, horizon / 5);
    }

    /** A run at a load. */
    SimResult run(Lab lab, String mix, double perSecond, Span span) {
        SimOptions base = SimOptions.of(cpus, span.horizonNanos()).withWorkers(WORKERS, 1 << 18)
                .withPhases(span.warmUpNanos(), span.horizonNanos() / 2);
        SimResult result = SimHost.run(SimSetup.of(options.apply(base), SimTransports.onHost(), profile), policy,
                load(OpenLoad.blind(mix(mix, extraNanos), perSecond, lab.seed()), lab.seed()));
        lab.count(result);
        return result;
    }
}
