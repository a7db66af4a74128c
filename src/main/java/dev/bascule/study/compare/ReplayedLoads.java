package dev.bascule.study.compare;

import dev.bascule.report.Grid;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Loads that {@link LoadRuns} has played for one experiment. */
final class ReplayedLoads {
    static final String NOT_ONCE = "requests lost, answered twice or wrongly";
    static final List<String> LIMITS = List.of(
            "As 'run' plays it: real threads of the live host spin each request's time, an agent's process decides, latency counts"
                    + " from the intended arrival. The patience with the agent is that of 'run' on as many cores, not the bench's"
                    + " window; what the host decided by itself has a row.",
            "A load of 1 is what was answered under a flood in the setting that answered least, so all columns are offered the same.",
            "At the scale of this machine's cores: 16 CPUs are the simulated host's ('reproduce fito').");

    /** More than the CPUs could answer if nothing but the work cost time. */
    static final double FLOOD = 1.2;
    private static final double WARM = 0.1;
    /** Of so many decisions the host may make one before it is said. */
    private static final int AGENTS_SHARE = 10;

    private final LoadRuns player;
    private final List<Run> runs = new ArrayList<>();

    /** One load of one setting. */
    record Run(LoadRuns.Setting setting, LoadRuns.Point point) {}

    ReplayedLoads(LoadRuns player) {
        this.player = player;
    }

    /**
     * Floods each setting, then plays the loads in all, as parts of the least that one answered.
     *
     * @param settings without loads
     */
    void play(List<LoadRuns.Setting> settings, List<Double> parts) throws InterruptedException {
        double least = Double.POSITIVE_INFINITY;
        for (LoadRuns.Setting setting : settings) {
            LoadRuns.Setting flooded = setting.withLoads(0, List.of(WARM, FLOOD));
            LoadRuns.Point flood = player.play(flooded).getLast(); // the first load only warms up: a flood of cold code drains slowly
            runs.add(new Run(flooded, flood));
            least = Math.min(least, flood.perSecond());
        }
        for (LoadRuns.Setting setting : settings) {
            LoadRuns.Setting loaded = setting.withLoads(least, parts);
            player.play(loaded).forEach(point -> runs.add(new Run(loaded, point)));
        }
    }

    List<Run> all() {
        return List.copyOf(runs);
    }

    /** Sentences about runs in which it was hardly the agent that decided. */
    List<String> withoutAgent(Function<Run, String> caption) {
        return runs.stream().filter(run -> AGENTS_SHARE * run.point.local() > run.point.local() + run.point.decisions())
                .map(run -> "Over " + run.setting.column() + ", " + caption.apply(run) + ", the host itself made "
                        + run.point.local() + " of " + (run.point.local() + run.point.decisions())
                        + " decisions: its figures there are not the transport's.")
                .toList();
    }

    /** Figures that no correct run has, by the captions and columns of the grids. */
    List<Section.Wrong> wrong(Function<Run, String> caption, Function<LoadRuns.Setting, String> column) {
        return runs.stream().filter(run -> run.point.notOnce() != 0)
                .map(run -> new Section.Wrong(caption.apply(run), column.apply(run.setting), NOT_ONCE,
                        run.point.notOnce(),
                        "Each request is answered once."))
                .toList();
    }

    static String caption(double part) {
        return part == FLOOD ? "a flood" : "load " + FigureText.number(part);
    }

    /** Rows that every such experiment has. */
    static Grid.Builder grid(String caption, List<String> columns, List<Run> at) {
        return new Grid.Builder(caption, columns)
                .counts("requests offered", "1/s", values(at, run -> run.point.offeredPerSecond()))
                .counts("requests answered", "1/s", values(at, run -> run.point.perSecond()))
                .measures("due to answered, p50", "us", values(at, run -> run.point.latency().p50()))
                .measures("due to answered, p99", "us", values(at, run -> run.point.latency().p99()));
    }

    /** And the last of them. */
    static Grid ending(Grid.Builder grid, List<Run> at) {
        return grid.measures("window observe to enforce, p50", "us", values(at, run -> run.point.window().p50()))
                .measures("window, p99", "us", values(at, run -> run.point.window().p99()))
                .measures("stale, refused at enforcement", "per 1000 in force",
                        values(at, run -> 1000.0 * run.point.stale() / Math.max(1, run.point.decisions())))
                .measures("decided by the host itself", "per 1000",
                        values(at, run -> 1000.0 * run.point.local()
                                / Math.max(1, run.point.local() + run.point.decisions())))
                .measures("host CPU outside of requests", "us/request", values(at, run -> run.point.hostMicros()))
                .counts(NOT_ONCE, "requests", values(at, run -> run.point.notOnce())).build();
    }

    static List<Double> values(List<Run> at, ToDoubleFunction<Run> value) {
        return at.stream().map(value::applyAsDouble).toList();
    }
}
