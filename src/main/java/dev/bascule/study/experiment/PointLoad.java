package dev.bascule.study.experiment;

import dev.bascule.registry.Durations;
import dev.bascule.study.sim.ChainLoad;
import dev.bascule.study.sim.ClosedLoad;
import dev.bascule.study.sim.ExtendedLoad;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.JobTrace;
import dev.bascule.study.sim.MachineLoad;
import dev.bascule.study.sim.OpenLoad;
import dev.bascule.study.sim.RtAppLoad;
import dev.bascule.study.sim.SimLoad;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.TraceLoad;
import dev.bascule.workload.Arrivals;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Load of a point's host: jobs of a published mix, open or closed loop, or of a trace; threads of an rt-app file;
 * chains of wake-ups; virtual machines.
 *
 * @param mix as in {@link JobMix#named}, {@link #MACHINES}, {@link #CHAIN}, or {@link #TRACE} or
 *        {@link #RT_APP} and a file
 * @param hosts under one load balancer
 * @param cpus of each host
 * @param load part of their capacity that is offered; not used by a closed loop or an rt-app file; 0: that of the trace
 * @param arrivals as in {@link Arrivals#named}, of an open loop of a mix of jobs
 * @param clients of a closed loop; 0: open
 * @param thinkNanos mean time from a client's answer to its next job
 * @param stages work of a chain's stages, ns, with colons between them
 * @param residents beside the jobs, as in {@link ExtendedLoad.Residents#named}
 * @param hints about jobs, as in {@link ExtendedLoad.Hints#named}
 */
record PointLoad(String mix, int hosts, int cpus, double load, String arrivals, int clients,
        double thinkNanos, String stages, String residents, String hints, long seed) {
    /** Mix that is virtual machines instead of jobs. */
    static final String MACHINES = "vm";
    /** Mix that is chains of wake-ups. */
    static final String CHAIN = "chain";
    /** Beginning of a mix that is a file of recorded jobs. */
    static final String TRACE = "trace:";
    /** Beginning of a mix that is an rt-app file. */
    static final String RT_APP = "rt-app:";
    private static final int VIRTUAL_CPUS = 4;
    /** Times of residents and noise of hints are drawn apart from the jobs. */
    private static final long OF_EXTENSIONS = 0x5e51de47L;
    /** A deadline is so many times the service time after the arrival. */
    private static final int DEADLINE = 10;

    /**
     * Says what does not go together.
     *
     * @throws IllegalArgumentException if anything does not
     */
    void check(String policy) {
        boolean jobs = !isMachines() && !isChain() && !isRtApp();
        if (isTrace()) {
            trace();
        } else if (jobs) {
            JobMix.named(mix, CHAIN, MACHINES, TRACE + "FILE", RT_APP + "FILE");
        }
        if (isChain()) {
            new ChainLoad(stageNanos(), 1, 0);
        }
        if (isRtApp()) {
            checkCpus(threads());
        }
        checkExtensions();
        if ((!jobs || isTrace()) && clients > 0) {
            throw new IllegalArgumentException("clients=" + clients + " with mix=" + mix
                    + ": a closed loop needs a mix of jobs; leave clients out");
        }
        if (!process().equals(Arrivals.POISSON) && (!jobs || isTrace() || clients > 0)) {
            throw new IllegalArgumentException("arrivals=" + arrivals + " with "
                    + (clients > 0 ? "clients=" + clients : "mix=" + mix)
                    + ": it needs an open loop of a mix of jobs; leave arrivals out");
        }
        if (hosts > 1 && (!jobs || clients > 0)) {
            throw new IllegalArgumentException(
                    "hosts=" + hosts + " with " + (jobs ? "clients=" + clients : "mix=" + mix)
                            + ": a load balancer needs an open loop of jobs; leave hosts out");
        }
        if (isMachines() && policy.equals("darc")) {
            throw new IllegalArgumentException("policy=darc with mix=vm: it needs jobs; use another policy");
        }
        if (policy.equals("edf") && (!jobs && !isRtApp() || clients > 0)) {
            throw new IllegalArgumentException("policy=edf with " + (jobs ? "clients=" + clients : "mix=" + mix)
                    + ": it needs jobs with deadlines; use another policy, or an open loop");
        }
    }

    boolean isMachines() {
        return mix.equals(MACHINES);
    }

    private boolean isChain() {
        return mix.equals(CHAIN);
    }

    boolean isTrace() {
        return mix.startsWith(TRACE);
    }

    boolean isRtApp() {
        return mix.startsWith(RT_APP);
    }

    /** Whether the mix itself says how many jobs come. */
    boolean hasOwnLoad() {
        return isTrace() || isRtApp();
    }

    private RtAppLoad threads() {
        return new RtAppLoad(Path.of(mix.substring(RT_APP.length())), seed);
    }

    private void checkCpus(RtAppLoad threads) {
        for (int thread = 0; thread < threads.classes(); thread++) {
            if (cpus < Long.SIZE && (threads.affinity(thread) & (1L << cpus) - 1) == 0) {
                throw new IllegalArgumentException("mix=" + mix + ": " + threads.classNames().get(thread)
                        + " may run on none of cpus=" + cpus + "; give more, or other cpus in the file");
            }
        }
    }

    private void checkExtensions() {
        for (ExtendedLoad.Residents one : background()) {
            if (cpus < Long.SIZE && (one.one().affinity() & (1L << cpus) - 1) == 0) {
                throw new IllegalArgumentException("residents=" + residents + ": " + one.name()
                        + " may run on none of cpus=" + cpus);
            }
        }
        if (!ExtendedLoad.Hints.named(hints).areGiven() && isMachines()) {
            throw new IllegalArgumentException("hints=" + hints + " with mix=" + mix
                    + ": they are about jobs; leave hints out");
        }
        if (!background().isEmpty() && (isMachines() || hosts > 1)) {
            throw new IllegalArgumentException("residents=" + residents + " with "
                    + (hosts > 1
                            ? "hosts=" + hosts + ": a load balancer places jobs only"
                            : "mix=" + mix
                                    + ": virtual machines are residents themselves")
                    + "; leave residents out");
        }
    }

    /** Residents beside the jobs. */
    List<ExtendedLoad.Residents> background() {
        return ExtendedLoad.Residents.named(residents);
    }

    private Arrivals process() {
        return Arrivals.named(arrivals);
    }

    private JobTrace trace() {
        return JobTrace.of(Path.of(mix.substring(TRACE.length())));
    }

    private long[] stageNanos() {
        try {
            return Arrays.stream(stages.split(":", -1)).mapToLong(PointLoad::nanos).toArray();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "stages=" + stages + ": the time of each stage, as 3us:5us:2us, or in ns", e);
        }
    }

    /** A time as a key has it: with a unit, or in ns. */
    static long nanos(String text) {
        return text.isEmpty() || Character.isDigit(text.charAt(text.length() - 1))
                ? Long.parseLong(text)
                : Durations.parseNanos(text);
    }

    /** Work of each class of jobs, as shares of any sum. */
    double[] work() {
        if (isTrace()) {
            return trace().work();
        }
        if (isRtApp()) {
            return threads().work();
        }
        return isChain()
                ? Arrays.stream(stageNanos()).asDoubleStream().toArray()
                : JobMix.named(mix).kinds().stream().mapToDouble(k -> k.share() * k.time().mean()).toArray();
    }

    /** Length of a run of it, which bounds what its percentiles are good for. */
    PointRuns.Length length(SimResult run) {
        if (isMachines()) {
            return PointRuns.Length.of(run, MachineLoad.cycleNanos(), MachineLoad.cycleNanos());
        }
        if (isChain()) {
            return PointRuns.Length.of(run, Arrays.stream(stageNanos()).sum(), Double.POSITIVE_INFINITY);
        }
        if (isTrace()) {
            return PointRuns.Length.of(run, trace().secondMoment() / trace().meanNanos(), Double.POSITIVE_INFINITY);
        }
        if (isRtApp()) {
            return PointRuns.Length.of(run, threads().cycleNanos(), threads().cycleNanos());
        }
        JobMix jobs = JobMix.named(mix);
        double found = jobs.secondMoment() / jobs.meanNanos();
        return clients == 0
                ? PointRuns.Length.of(run,
                        found + (process().dispersion(perSecond() / hosts) - 1) * jobs.meanNanos(),
                        Double.POSITIVE_INFINITY)
                : PointRuns.Length.of(run, found, thinkNanos + clients * jobs.meanNanos() / cpus);
    }

    /** Names of the classes of jobs; virtual machines have no jobs. */
    List<String> classNames() {
        if (isMachines()) {
            return List.of();
        }
        if (isTrace()) {
            return trace().classNames();
        }
        if (isRtApp()) {
            return threads().classNames();
        }
        return isChain()
                ? IntStream.rangeClosed(1, stageNanos().length).mapToObj(stage -> "stage " + stage).toList()
                : JobMix.named(mix).kinds().stream().map(JobMix.Kind::name).toList();
    }

    /** Jobs, chains or bursts per second, at most; of all hosts. */
    double perSecond() {
        if (isMachines()) {
            return machines() * VIRTUAL_CPUS * 1e9 / MachineLoad.cycleNanos();
        }
        if (isChain()) {
            return cpus * load * 1e9 / Arrays.stream(stageNanos()).sum();
        }
        if (isTrace()) {
            return load == 0 ? trace().perSecond() : cpus * load * hosts * 1e9 / trace().meanNanos();
        }
        if (isRtApp()) {
            return threads().perSecond();
        }
        JobMix jobs = JobMix.named(mix);
        return clients == 0
                ? jobs.capacityPerSecond(cpus) * load * hosts
                : Math.min(jobs.capacityPerSecond(cpus), clients * 1e9 / (thinkNanos + jobs.meanNanos()));
    }

    /** As many machines as want the load, at least one. */
    private int machines() {
        return (int) Math.clamp(Math.round(cpus * load / MachineLoad.share() / VIRTUAL_CPUS), 1, 256);
    }

    /** The load itself. */
    SimLoad make(boolean withDeadlines) {
        ExtendedLoad.Hints about = ExtendedLoad.Hints.named(hints);
        return background().isEmpty() && about.areGiven()
                ? jobs(withDeadlines)
                : new ExtendedLoad(jobs(withDeadlines), background(), about, seed ^ OF_EXTENSIONS);
    }

    private SimLoad jobs(boolean withDeadlines) {
        if (isMachines()) {
            return new MachineLoad(machines(), VIRTUAL_CPUS, seed);
        }
        if (isChain()) {
            return new ChainLoad(stageNanos(), perSecond(), seed);
        }
        if (isTrace()) {
            return new TraceLoad(trace(), perSecond(), seed, withDeadlines ? DEADLINE : 0);
        }
        if (isRtApp()) {
            return threads();
        }
        JobMix jobs = JobMix.named(mix);
        if (clients > 0) {
            return ClosedLoad.classified(jobs, clients, thinkNanos, seed);
        }
        OpenLoad open = OpenLoad.classified(jobs, perSecond(), seed).withArrivals(process(), seed);
        return withDeadlines ? open.withDeadlines(DEADLINE, seed) : open;
    }
}
