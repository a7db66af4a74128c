package dev.bascule.study.experiment;

import dev.bascule.agent.Agent;
import dev.bascule.config.CostProfile;
import dev.bascule.host.TimeHistogram;
import dev.bascule.study.report.RepeatedLatency;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.OpenLoad;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTransport;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;

/**
 * Setting that all experiments share: how long runs are, their seed, and runs at a load. Runs of a list go in parallel.
 */
final class Lab {
    private static final int SEARCH_STEPS = 6;
    /** So that p99.9 has ten jobs above it after the warm-up, and all repeats together as many as one long run. */
    private static final int JOBS = 60_000;
    private static final int QUICK_JOBS = 15_000;

    private final CostProfile profile;
    private final boolean quick;
    private final int jobs;
    private final long seed;
    private final AtomicLong littleErrors = new AtomicLong();
    private final AtomicLong runs = new AtomicLong();
    private volatile Runnable ran = () -> {};

    /** For one of the repeats. */
    Lab(CostProfile profile, Reproduction.Size size, int repeat) {
        this.profile = profile;
        quick = size.quick();
        seed = repeat == 0 ? size.seed() : new SplittableRandom(size.seed() * 1_000_003L + repeat).nextInt(1 << 30);
        jobs = quick ? QUICK_JOBS : JOBS;
    }

    /** Calls it after each run, on whatever thread. */
    Lab telling(Runnable told) {
        ran = told;
        return this;
    }

    /** Whether runs are to be shorter and points fewer. */
    boolean isQuick() {
        return quick;
    }

    /** Jobs of a run, about. */
    int jobs() {
        return jobs;
    }

    /** Decides what is random in this repeat. */
    long seed() {
        return seed;
    }

    CostProfile profile() {
        return profile;
    }

    long runs() {
        return runs.get();
    }

    /** Runs in which Little's law did not hold exactly: must be 0. */
    long littleErrors() {
        return littleErrors.get();
    }

    /** One run: {@code part} of what so many CPUs could do if nothing but the work cost time. */
    SimResult run(SimTransport transport, Supplier<? extends Agent> policy, JobMix mix, int cpus, double part) {
        return run(profile, transport, policy, mix, cpus, part, o -> o);
    }

    SimResult run(CostProfile costs, SimTransport transport, Supplier<? extends Agent> policy, JobMix mix, int cpus,
            double part, UnaryOperator<SimOptions> change) {
        double perSecond = mix.capacityPerSecond(cpus) * part;
        long horizon = Math.max(20_000_000, Math.round(jobs / perSecond * 1e9));
        SimOptions options = change.apply(SimOptions.of(cpus, horizon).withPhases(horizon / 5, horizon / 2));
        SimResult result = SimHost.run(SimSetup.of(options, transport, costs), policy,
                OpenLoad.classified(mix, perSecond, seed));
        count(result);
        return result;
    }

    /** A percentile in us; NaN where the run is too short for it. */
    static double micros(TimeHistogram times, double percent) {
        return RepeatedLatency.percentiles(List.of(times), percent).getFirst() / 1e3;
    }

    void count(SimResult result) {
        runs.incrementAndGet();
        littleErrors.addAndGet(result.littleErrorNanos() == 0 ? 0 : 1);
        ran.run();
    }

    /**
     * Jobs per second when more is offered than can be done: useful work by the mean job, so that a policy that leaves
     * long jobs lying does not look faster.
     */
    double saturation(SimTransport transport, Supplier<? extends Agent> policy, JobMix mix, int cpus) {
        SimResult result = run(profile, transport, policy, mix, cpus, 1.3, o -> o.withPhases(o.warmUpNanos(), 0));
        return result.time().work() / (double) result.lastNanos() / mix.meanNanos() * 1e9;
    }

    /** The greatest load, in jobs per second, at which {@code latency} stays within {@code limitNanos}; by bisection. */
    double withinSlo(SimTransport transport, Supplier<? extends Agent> policy, JobMix mix, int cpus,
            ToDoubleFunction<SimResult> latency, long limitNanos) {
        double low = 0;
        double high = 1;
        for (int step = 0; step < SEARCH_STEPS; step++) {
            double middle = (low + high) / 2;
            SimResult result = run(transport, policy, mix, cpus, middle);
            if (!result.isOverloaded() && latency.applyAsDouble(result) <= limitNanos) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low * mix.capacityPerSecond(cpus);
    }

    /** Computes each in parallel, keeps the order. */
    <A, B> List<B> each(List<A> inputs, Function<A, B> work) {
        return inputs.parallelStream().map(work).toList();
    }
}
