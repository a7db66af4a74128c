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
    /** A GET spins until the thread's CPU clock says so, which takes a system call a look. */
    static final double CLOCK_NANOS = 350;
    /** Per quantum, from p99.9 at the lowest load with 30 us: 10.61 ms for 10 ms of work. */
    static final double SHINJUKU_PREEMPTION_NANOS = 30_000.0 * (10_610_735 - 10_000_000) / 1e7;
    /** Time of a preemption by Skyloft, from its 10.39 ms. */
    static final double SKYLOFT_PREEMPTION_NANOS = 30_000.0 * (10_388_053 - 10_000_000) / 1e7;
    /** Time that is not a job's own of each 30 us under Skyloft without a quantum, from its 10.85 ms. */
    static final double SKYLOFT_TIMER_NANOS = 30_000.0 * (10_849_783 - 10_000_000) / 1e7;

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
     * Shinjuku itself, and Skyloft: a dispatcher and 20 workers that poll, interrupted after every quantum of work whether anything
     * waits or not; without a quantum nothing is preempted, and what is not a job's own comes as often as with 30 us.
     */
    static GhostSystem userLevel(CostProfile profile, int quantumMicros, double preemptionNanos) {
        CostProfile user = profile;
        for (Map.Entry<String, Double> cost : Map.of("kernel.entry", 0.0, "kernel.contextSwitch", 100.0,
                "kernel.coldStart",
                0.0, "kernel.message", 50.0, "kernel.commit", 0.0, "kernel.sourceLook", 0.0, "hostAgent.round", 0.0,
                "hostAgent.message", 50.0, "hostAgent.decision", 50.0, "hostAgent.commit", 0.0).entrySet()) {
            user = user.with(cost.getKey(), cost.getValue(),
                    "user-level dispatcher and switch: order of magnitude only");
        }
        user = user.with("kernel.interrupt", preemptionNanos, "p99.9 at the lowest load, 30 us")
                .with("kernel.tick", preemptionNanos, "p99.9 at the lowest load, 30 us");
        long quantum = quantumMicros * 1000L;
        long tick = (quantum == 0 ? 30_000 : quantum) + Math.round(preemptionNanos);
        return new GhostSystem(20, user, quantum == 0 ? FifoAgent::new : () -> new ShinjukuAgent(quantum),
                o -> o.withCores(1, false, tick), CLOCK_NANOS, 0);
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

    /** A run at a load, at least as long as so many jobs of the longest kind one after the other. */
    SimResult run(Lab lab, String mix, double perSecond, int longestJobs) {
        JobMix jobs = mix(mix, extraNanos);
        double longest = jobs.kinds().stream().mapToDouble(k -> k.time().mean()).max().orElse(0);
        long horizon = Math.round(Math.max(lab.jobs() / perSecond * 1e9, longestJobs * longest));
        SimOptions base = SimOptions.of(cpus, horizon).withWorkers(WORKERS, 1 << 18)
                .withPhases(horizon / 5, horizon / 2);
        SimResult result = SimHost.run(SimSetup.of(options.apply(base), SimTransports.onHost(), profile), policy,
                load(OpenLoad.blind(jobs, perSecond, lab.seed()), lab.seed()));
        lab.count(result);
        return result;
    }
}
