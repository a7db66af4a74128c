package dev.bascule.study.experiment;

import dev.bascule.agent.Agent;
import dev.bascule.config.CostProfile;
import dev.bascule.report.Estimate;
import dev.bascule.report.Numbers;
import dev.bascule.report.Percentiles;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimTrace;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A point that was run several times, each with a {@linkplain PointSpec#repeat seed of its own}. Runs of one place of two
 * points have the same seed.
 *
 * @param point what was run
 * @param results one a repeat, of all hosts or enclaves together
 * @param hosts of each repeat the results of its hosts, or enclaves
 */
public record PointRuns(PointSpec point, List<SimResult> results, List<List<SimResult>> hosts) {
    /** Runs where nothing is said. */
    public static final int REPEATS = 5;
    /** A difference of the mean sojourn between a run's halves that counts, as part of the mean. */
    private static final double TREND = 0.05;

    /** Keeps a copy. */
    public PointRuns {
        results = List.copyOf(results);
        hosts = hosts.stream().map(List::copyOf).toList();
    }

    /**
     * Runs the point, on all cores where it {@linkplain PointSpec#isParallel may}.
     *
     * @param trace of the first run; null: none
     * @param around what stands around each agent
     */
    public static PointRuns of(PointSpec point, CostProfile profile, int repeats, @Nullable SimTrace trace,
            UnaryOperator<Agent> around) {
        IntStream numbers = IntStream.range(0, repeats);
        List<List<SimResult>> hosts = (point.isParallel() ? numbers.parallel() : numbers)
                .mapToObj(i -> point.repeat(i).runEach(profile, i == 0 ? trace : null, around)).toList();
        return new PointRuns(point, hosts.stream().map(each -> SimResult.together(each, point.part())).toList(), hosts);
    }

    /** Length of the run that is shortest beside its queue's memory: of these, or of parts of them. */
    public Length length(List<SimResult> runs) {
        return runs.stream().map(point::length).min(Comparator.comparingDouble(Length::memories)).orElseThrow();
    }

    /** A figure of each run. */
    public List<Double> each(ToDoubleFunction<SimResult> figure) {
        return results.stream().map(figure::applyAsDouble).toList();
    }

    /** Mean of a figure with its interval. */
    public Estimate estimate(ToDoubleFunction<SimResult> figure) {
        return Estimate.of(each(figure));
    }

    /** Sum of a figure over the runs. */
    public long sum(ToDoubleFunction<SimResult> figure) {
        return Math.round(results.stream().mapToDouble(figure).sum());
    }

    /** Whether more was offered than could be done, in any run. */
    public boolean isOverloaded() {
        return results.stream().anyMatch(SimResult::isOverloaded);
    }

    /**
     * Whether sojourns still grow or fall while they are measured: those of the second half differ from those of the first by more
     * than chance and by more than a twentieth. The warm-up, or the runs, are then too short.
     */
    public boolean isSettled() {
        Estimate grows = Estimate.ofPairs(each(r -> r.halves().first()), each(r -> r.halves().second()));
        double mean = estimate(r -> r.allSojourns().mean()).mean();
        return !grows.excludes(0) || Math.abs(grows.mean()) < TREND * mean;
    }

    /**
     * Length of a run beside the time that its queue takes to forget, which decides what
     * {@linkplain Percentiles#memories percentiles and intervals} the run is good for. That time is the relaxation time of
     * the work in a queue in heavy traffic, and no shorter than the job that an arrival finds.
     *
     * @param nanos of the measured part
     * @param memoryNanos that the queue takes to forget
     * @param busy CPUs with a job, 0 to 1; where there are none with a task
     */
    public record Length(double nanos, double memoryNanos, double busy) {
        /** Of a run of jobs of this mix in an open loop, on one host or on each of several. */
        static Length of(SimResult run, JobMix mix) {
            return of(run, mix.secondMoment() / mix.meanNanos(), Double.POSITIVE_INFINITY);
        }

        /**
         * Of a run, on one host or on each of several. Residents beside the jobs leave the jobs' queue the time that they take
         * only where the policy puts jobs first.
         *
         * @param foundNanos work of the job that an arrival finds: the mix's second moment by its mean
         * @param mostNanos after which everything in the queue is gone in any case, as in a closed loop
         */
        static Length of(SimResult run, double foundNanos, double mostNanos) {
            double idle = run.time().waiting() + (run.jobs().arrived() > 0 ? run.time().resident() : 0);
            double busy = 1 - idle / ((double) run.lastNanos() * run.cpus());
            double queue = 2 * foundNanos / (run.topology().cpus() * (1 - busy) * (1 - busy));
            return new Length(run.measuredNanos(), Math.max(foundNanos, Math.min(queue, mostNanos)), busy);
        }

        /** How many times as long the run is as its queue remembers. */
        public double memories() {
            return nanos / memoryNanos;
        }

        /** How many times as long the run would have to be; at most 1 if it is long enough. */
        public double factor(double percent) {
            return Percentiles.memories(percent) / memories();
        }

        /** Words about the percentile of a run that is too short for it; empty of one that is not. */
        public String shortFor(double percent) {
            return factor(percent) <= 1
                    ? ""
                    : String.format(Locale.ROOT,
                            "not settled: with %.0f %% of the CPUs busy the queue forgets in %s ms, p%s asks for runs of"
                                    + " %,.0f times that, %s ms, and these measure %s ms",
                            busy * 100, Numbers.digits(memoryNanos / 1e6), Numbers.trimmed(Double.toString(percent)),
                            Percentiles.memories(percent), Numbers.digits(nanos * factor(percent) / 1e6),
                            Numbers.digits(nanos / 1e6));
        }
    }
}
