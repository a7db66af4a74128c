package dev.bascule.workload.experiment;

import dev.bascule.agent.Agent;
import dev.bascule.config.CostProfile;
import dev.bascule.host.sim.SimResult;
import dev.bascule.host.sim.SimTrace;
import dev.bascule.report.Estimate;
import java.util.List;
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
}
