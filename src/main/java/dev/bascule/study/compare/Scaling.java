package dev.bascule.study.compare;

import dev.bascule.agent.Watchdog;
import dev.bascule.report.Grid;
import dev.bascule.report.HistogramBar;
import dev.bascule.report.Percentiles;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** E5: more CPUs for one agent. Which window would have been wide enough, as long as the agent lived? */
final class Scaling {
    private static final long SERVICE_NANOS = 40_000;
    /** Wide, so that the windows that would be needed can be seen. */
    private static final long OPEN_NANOS = 2_000_000_000L;
    private static final List<Integer> QUICK = List.of(1, 8);
    private static final List<Integer> FULL = List.of(1, 2, 4, 8, 16);
    private static final double[] WINDOWS_MICROS = { 10, 50, 200, 1_000 };

    /** One setting, as played. */
    private record Run(String transport, int cpus, SoloFigures figures) {
        String column() {
            return transport + ", " + cpus + (cpus == 1 ? " CPU" : " CPUs");
        }
    }

    private final Bench bench;
    private final List<Run> runs = new ArrayList<>();

    Scaling(Bench bench) {
        this.bench = bench;
    }

    /** Plays one transport, each size on a bed of its own. */
    void play(String transport) throws InterruptedException {
        for (int cpus : sizes()) {
            bench.progress().accept("E5: " + cpus + " CPUs for one agent over " + transport);
            try (Testbed bed = Testbed.open(bench, transport, cpus, false,
                    () -> new Watchdog(OPEN_NANOS, 2 * OPEN_NANOS))) {
                SoloLoad load = new SoloLoad(8 * cpus, SERVICE_NANOS, 0, true);
                runs.add(new Run(transport, cpus, bed.host().run(load, bench.quick()
                        ? 300_000_000L
                        : 2_000_000_000L)));
            }
        }
    }

    private List<Integer> sizes() {
        return bench.quick() ? QUICK : FULL;
    }

    Section section() {
        List<Integer> sizes = sizes();
        return new Section("E5", "CPUs for each agent, and the window they need",
                "One agent decides for more and more CPUs, all played by one thread of this host; a task keeps its CPU "
                        + SERVICE_NANOS / 1000 + " us. The soft window is opened wide, so that every answer is waited"
                        + " for: an answer later than a window would have been a false alarm of that window, for the"
                        + " agent was alive.",
                sizes.stream().map(this::grid).toList(), List.of(), List.of(), findings(sizes), List.of(
                        "Up to " + sizes.get(sizes.size() - 1) + " CPUs live: one host thread plays them all and is"
                                + " itself the limit beyond. 32 to 256 CPUs for each agent are simulated ('reproduce fito').",
                        "Pauses of the host itself, in which its thread had no core, are in the latency from a free CPU to"
                                + " its decision; a window and its false alarms leave them out, as the host does, for they"
                                + " are not the agent's.",
                        "Polling only: one thread cannot sleep for several CPUs at a time."));
    }

    private Grid grid(int cpus) {
        List<Run> at = runs.stream().filter(run -> run.cpus() == cpus).toList();
        Grid.Builder grid = new Grid.Builder(cpus == 1 ? "1 CPU" : cpus + " CPUs",
                at.stream().map(Run::column).toList())
                .counts("decisions committed", "1/s", values(at, f -> f.perSecond(f.committed())))
                .measures("CPU free to decision, p50", "us", values(at, f -> Percentiles.known(f.answer).p50()))
                .measures("p99", "us", values(at, f -> Percentiles.known(f.answer).p99()))
                .measures("p99.9: window with 1 false alarm in 1000", "us",
                        values(at, f -> Percentiles.known(f.held).p999()))
                .measures("slowest: window without any", "us", values(at, f -> Percentiles.known(f.held).max()));
        for (double window : WINDOWS_MICROS) {
            grid.measures("false alarms of a window of " + FigureText.micros(window), "per 1000",
                    values(at, f -> 1000 * later(f, window)));
        }
        return grid.measures("window observe to enforce, p99", "us", values(at, f -> Percentiles.known(f.window).p99()))
                .counts(SoloHost.OWN_PAUSES, "times", values(at, f -> f.ownPauses))
                .measures(SoloHost.LONGEST_OWN_PAUSE, "us", values(at, SoloFigures::longestOwnPauseMicros)).build();
    }

    private static List<Double> values(List<Run> at, ToDoubleFunction<SoloFigures> value) {
        return at.stream().map(run -> value.applyAsDouble(run.figures())).toList();
    }

    /** Share of answers that took longer. */
    static double later(SoloFigures figures, double micros) {
        long total = 0;
        long later = 0;
        for (HistogramBar bar : HistogramBar.of(figures.held, 100)) {
            total += bar.count();
            later += bar.fromMicros() >= micros ? bar.count() : 0;
        }
        return total == 0 ? Double.NaN : (double) later / total;
    }

    private SoloFigures figures(String transport, int cpus) {
        return runs.stream().filter(run -> run.transport().equals(transport) && run.cpus() == cpus).findFirst()
                .orElseThrow().figures();
    }

    private List<String> findings(List<Integer> sizes) {
        int few = sizes.get(0);
        int many = sizes.get(sizes.size() - 1);
        List<String> found = new ArrayList<>();
        for (String name : bench.transports()) {
            SoloFigures small = figures(name, few);
            SoloFigures large = figures(name, many);
            double from = Percentiles.known(small.held).p999();
            double to = Percentiles.known(large.held).p999();
            found.add("Over " + name + (Double.isNaN(from + to)
                    ? ", answers are too few for the window with one false alarm in 1000"
                    : ", the window with one false alarm in 1000 answers went from " + FigureText.micros(from)
                            + " with "
                            + few + " CPU to " + FigureText.micros(to) + " with " + many + " CPUs")
                    + "; no answer came later than " + FigureText.micros(Percentiles.of(large.held).max())
                    + ". The soft window of " + FigureText.micros(bench.softNanos() / 1e3) + " would have reversed "
                    + FigureText.number(1000 * later(large, bench.softNanos() / 1e3))
                    + " of 1000 decisions of a living agent.");
        }
        return found;
    }
}
