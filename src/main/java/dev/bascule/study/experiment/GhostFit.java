package dev.bascule.study.experiment;

import dev.bascule.config.CostProfile;
import dev.bascule.host.TimeHistogram;
import dev.bascule.study.sim.SimResult;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Fit of what time costs on a real host under ghOSt to the measured rows that serve it, and to no other: one cost after the other is
 * raised and lowered within its bounds, then all at once, then each by smaller steps, and kept where rows come nearer.
 */
public final class GhostFit {
    /**
     * A cost.
     *
     * @param path in the profile
     * @param what it is, for the profile
     * @param low least that it may be, ns
     * @param high most
     */
    private record Cost(String path, String what, double low, double high) {}

    private static final List<Cost> COSTS = List.of(
            new Cost("hostAgent.decision",
                    "one decision that runs a task: its line, check and latch under the lock of the target's run queue",
                    1_000, 1_450),
            new Cost("hostAgent.unschedule", "a decision that leaves a CPU without a task, and its own commit",
                    2_400, 2_800),
            new Cost("hostAgent.commit", "the system call of a commit, shared by the decisions of a round", 100, 2_500),
            new Cost("hostAgent.interrupt",
                    "an interrupt that takes a CPU from what runs there, sent at the end of a commit",
                    20, 2_500),
            new Cost("hostAgent.round", "what a round that finds something takes beside an empty one", 50, 2_500),
            new Cost("hostAgent.poll", "an empty round of the agent: its loop over CPUs, clock and queues", 50, 3_000),
            new Cost("hostAgent.message", "an entry of the stream: a line of the worker's, and the policy's books",
                    50, 900),
            new Cost("kernel.sourceLook",
                    "the load generator looks through 200 workers for idle ones between two looks for arrivals",
                    300, 3_000),
            new Cost("kernel.coldStart",
                    "caches, TLB and branch predictors of a worker up to its first look at a new job", 300, 3_500),
            new Cost("kernel.interprocessor",
                    "an interrupt from the agent's system call until the target has left what ran", 300, 3_000));
    private static final double[] STEPS = { 1.3, 1.07, 1.03 };
    /** Random steps of all costs at once, after the first of these: two costs may have to move against each other. */
    private static final int JUMPS = 240;
    private static final double WIDE = 0.15;
    private static final double WIDER = 1.5;
    private static final double NARROWER = 0.9;
    private static final int LENGTH = 24;
    private static final String DESCRIPTION = "a real host under ghOSt, fitted by 'bascule calibrate ghost'";
    private static final double MOST_ERROR = 1;
    private static final int FEW = 3;

    private record Row(String mix, MeasuredCurve.Point point) {}

    private final boolean isQuick;
    private final long seed;
    private final List<Row> rows;
    private final Consumer<String> progress;

    private GhostFit(boolean isQuick, long seed, Consumer<String> progress) {
        this.isQuick = isQuick;
        this.seed = seed;
        this.progress = progress;
        List<Row> all = MeasuredCurve.all().stream().filter(c -> c.system().equals("ghost"))
                .flatMap(c -> c.points().stream().filter(MeasuredCurve.Point::servesFit).map(p -> new Row(c.mix(), p)))
                .toList();
        rows = IntStream.range(0, all.size()).filter(i -> !isQuick || i % FEW == 0).mapToObj(all::get).toList();
    }

    /**
     * The profile with these costs fitted, each from the middle of its bounds; all others stay as they are.
     *
     * @param isQuick a few of the rows and one step, to try it out
     * @param seed of arrivals, service times and random steps
     * @param progress receives each cost that changed, with the error
     */
    public static CostProfile run(CostProfile profile, boolean isQuick, long seed, Consumer<String> progress) {
        return new GhostFit(isQuick, seed, progress).search(profile);
    }

    private CostProfile search(CostProfile start) {
        CostProfile best = new CostProfile(start.name(), DESCRIPTION, start.constants());
        for (Cost cost : COSTS) {
            best = with(best, cost, Math.sqrt(cost.low() * cost.high()));
        }
        Fitted fitted = new Fitted(best, error(best));
        progress.accept(words("start", fitted.error()));
        for (double step : isQuick ? new double[] { STEPS[1] } : STEPS) {
            double before;
            do {
                before = fitted.error();
                fitted = oneAfterTheOther(fitted, step);
            } while (!isQuick && fitted.error() < before * 0.98);
            fitted = step == STEPS[0] ? together(fitted) : fitted;
        }
        return fitted.profile();
    }

    private record Fitted(CostProfile profile, double error) {}

    private Fitted oneAfterTheOther(Fitted start, double step) {
        Fitted best = start;
        for (Cost cost : COSTS) {
            for (double factor : new double[] { step, 1 / step }) {
                CostProfile tried = with(best.profile(), cost, best.profile().value(cost.path()) * factor);
                if (tried.nanos(cost.path()) == best.profile().nanos(cost.path())) {
                    continue;
                }
                double error = error(tried);
                if (error < best.error()) {
                    best = new Fitted(tried, error);
                    progress.accept(words(cost.path() + " = " + tried.nanos(cost.path()) + " ns", error));
                    break;
                }
            }
        }
        return best;
    }

    /** All costs by random factors, wider after a step that was kept and narrower after one that was not. */
    private Fitted together(Fitted start) {
        SplittableRandom random = new SplittableRandom(seed);
        Fitted best = start;
        double width = WIDE;
        for (int i = 0; i < JUMPS; i++) {
            CostProfile tried = best.profile();
            for (Cost cost : COSTS) {
                tried = with(tried, cost, tried.value(cost.path()) * Math.exp(width * random.nextGaussian()));
            }
            double error = error(tried);
            boolean isBetter = error < best.error();
            width *= isBetter ? WIDER : NARROWER;
            if (isBetter) {
                best = new Fitted(tried, error);
                progress.accept(words("step " + i, error));
            }
        }
        return best;
    }

    private static String words(String what, double error) {
        return String.format(Locale.ROOT, "%s: rows are off by %.1f %% on average", what, error * 100);
    }

    private static CostProfile with(CostProfile profile, Cost cost, double nanos) {
        return profile.calibrated(cost.path(), Math.clamp(nanos, cost.low(), cost.high()),
                "fitted to rows of ghOSt with 30 us: " + cost.what());
    }

    /** Mean distance of the rows' percentiles from the measured ones: logarithms of the ratios, each no more than 1. */
    double error(CostProfile profile) {
        Lab lab = new Lab(profile, new Reproduction.Size(true, 1, seed), 0);
        return lab.each(rows, row -> error(lab, row)).stream().mapToDouble(each -> each).average().orElseThrow();
    }

    private static double error(Lab lab, Row row) {
        GhostSystem ghost = GhostSystem.ghost(lab.profile(), 30);
        double perSecond = row.point().perSecond();
        SimResult result = ghost.run(lab, row.mix(), perSecond, ghost.span(lab, row.mix(), perSecond, LENGTH));
        TimeHistogram times = result.allSojourns();
        return (error(times, 50, row.point().p50Nanos()) + error(times, 99, row.point().p99Nanos())
                + error(times, 99.9, row.point().p999Nanos())) / 3;
    }

    private static double error(TimeHistogram times, double percent, double measured) {
        return Math.min(MOST_ERROR, Math.abs(Math.log(times.percentile(percent) / measured)));
    }
}
