package dev.bascule.study.compare;

import dev.bascule.report.Grid;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** E9: nothing to do. What does readiness cost? */
final class Idleness {
    /** One setting, as played. */
    private record Run(String transport, boolean polling, SoloFigures figures) {
        String column() {
            return transport + (polling ? " polling" : " interrupt");
        }
    }

    private final Bench bench;
    private final List<Run> runs = new ArrayList<>();

    Idleness(Bench bench) {
        this.bench = bench;
    }

    /** Plays one transport, on a bed of one CPU. */
    void play(Testbed bed, String transport) throws InterruptedException {
        long nanos = bench.quick() ? 300_000_000L : 3_000_000_000L;
        bench.progress().accept("E9: idle over " + transport);
        runs.add(new Run(transport, true, bed.host().run(SoloLoad.IDLE, nanos)));
        runs.add(new Run(transport, false, bed.host().run(SoloLoad.IDLE.sleeping(), nanos)));
    }

    Section section() {
        Grid grid = new Grid.Builder("no task wants to run", runs.stream().map(Run::column).toList())
                .measures("CPU of the host's thread", "% of a core", values(Idleness::hostPercent))
                .measures("CPU of the agent", "% of a core", values(f -> 100 * f.agentCpuSeconds / f.seconds()))
                .counts("looks at the decision line", "1/s", values(f -> f.perSecond(f.looks)))
                .counts("decisions", "times", values(f -> f.committed() + f.wasted()))
                .counts("false alarms", "times", values(f -> f.fences)).build();
        return new Section("E9", "everything idle",
                "One CPU, no task. The host polls, or sleeps until the interrupt and looks once a millisecond in case one"
                        + " was lost; the agent polls in either case.",
                List.of(grid), List.of(), List.of(), findings(), List.of(
                        "A look reads one line where the transport keeps it: over wave (pull placement) it crosses the"
                                + " link, over on-host it does not. Bus transactions of a real device are not counted"
                                + " here; looks are their upper bound."));
    }

    private static double hostPercent(SoloFigures figures) {
        return figures.hostCpuNanos < 0 ? Double.NaN : 100.0 * figures.hostCpuNanos / figures.wallNanos;
    }

    private List<Double> values(ToDoubleFunction<SoloFigures> value) {
        return runs.stream().map(run -> value.applyAsDouble(run.figures())).toList();
    }

    private List<String> findings() {
        List<String> found = new ArrayList<>();
        found.add("Idle and polling, the host's thread took "
                + FigureText.each(runs.stream().filter(Run::polling).toList(), Run::transport,
                        run -> hostPercent(run.figures()), value -> FigureText.number(value) + " % of a core")
                + "; asleep until an interrupt, "
                + FigureText.each(runs.stream().filter(run -> !run.polling()).toList(), Run::transport,
                        run -> hostPercent(run.figures()), value -> FigureText.number(value) + " %")
                + ".");
        double most = runs.stream().mapToDouble(run -> run.figures().agentCpuSeconds / run.figures().seconds()).max()
                .orElse(Double.NaN);
        found.add("The agent took up to " + FigureText.number(100 * most)
                + " % of a core, for it polls whatever the host does.");
        return found;
    }
}
