package dev.bascule.study.compare;

import dev.bascule.report.Grid;
import dev.bascule.report.HistogramBar;
import dev.bascule.report.Percentiles;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * E3: waiting tasks are killed and moved while decisions about them are under way. The rate is given as changes of one
 * task in its life in the queue.
 */
final class Conflicts {
    private static final int TASKS = 8;
    private static final long SERVICE_NANOS = 20_000;
    /** An agent fenced in one setting is replaced before the next. */
    private static final long MOST_WARM_NANOS = 20_000_000_000L;
    private static final List<Double> QUICK = List.of(0.01, 0.1, 1.0);
    private static final List<Double> FULL = List.of(0.001, 0.01, 0.1, 0.3, 1.0, 3.0);

    /** One setting, as played. */
    private record Run(String transport, boolean polling, double changesPerLife, SoloFigures figures, long lost,
            long unasked) {
        String column() {
            return transport + (polling ? " polling" : " interrupt");
        }
    }

    private final Bench bench;
    private final List<Run> runs = new ArrayList<>();

    Conflicts(Bench bench) {
        this.bench = bench;
    }

    /** Plays one transport, on a bed of one CPU. */
    void play(Testbed bed, String transport) throws InterruptedException {
        long nanos = bench.quick() ? 200_000_000L : 2_000_000_000L;
        bench.progress().accept("E3: conflicts over " + transport);
        for (double rate : rates()) {
            SoloLoad load = new SoloLoad(TASKS, SERVICE_NANOS, rate * 1e9 / SERVICE_NANOS, true);
            runs.add(run(bed.host(), transport, rate, load, nanos));
            runs.add(run(bed.host(), transport, rate, load.sleeping(), nanos));
        }
    }

    private static Run run(SoloHost host, String transport, double rate, SoloLoad load, long nanos)
            throws InterruptedException {
        host.run(new SoloLoad(TASKS, SERVICE_NANOS, 0, true), MOST_WARM_NANOS, host::isAgentWarm);
        long lost = host.ledger().lost();
        long unasked = host.ledger().unasked();
        SoloFigures figures = host.run(load, nanos);
        host.settleAccounts(load);
        return new Run(transport, load.polling(), rate, figures, host.ledger().lost() - lost,
                host.ledger().unasked() - unasked);
    }

    private List<Double> rates() {
        return bench.quick() ? QUICK : FULL;
    }

    Section section() {
        List<Double> rates = rates();
        List<Grid> grids = rates.stream().map(this::grid).toList();
        return new Section("E3", "conflicts between decisions and events",
                "One CPU, " + TASKS + " tasks that always want to run, " + SERVICE_NANOS / 1000
                        + " us a time. Waiting tasks are killed (and replaced) or moved in turn at random moments, so that"
                        + " decisions under way name tasks that are gone or changed. How many decisions are made in"
                        + " vain, how soon is it noticed, and what does the host pay for waiting?",
                grids, windows(rates.get(0)), wrong(), findings(rates), List.of(
                        "A task's life in the queue is taken as the time of " + TASKS
                                + " services; kills and moves are equally many.",
                        "An agent numbers its decisions over every transport, so those that the host never took are counted"
                                + " alike; what a fenced agent had staged is not among them.",
                        "CPU free to decision: whoever made the decision, the agent or, after its soft window, the host. Pauses"
                                + " in which the host's own thread had no core are in it; a polling host counts them, a"
                                + " sleeping one cannot tell them from sleep. They are not held against the agent.",
                        SoloHost.LEDGER_NOTE,
                        "On-host has no interrupt: its sleeping host looks again after short naps."));
    }

    private List<Run> at(double rate) {
        return runs.stream().filter(run -> run.changesPerLife() == rate).toList();
    }

    private List<Section.Distribution> windows(double rate) {
        return at(rate).stream().filter(Run::polling)
                .map(run -> new Section.Distribution("decision window, " + run.column(),
                        HistogramBar.of(run.figures().window, 10), Percentiles.known(run.figures().window)))
                .toList();
    }

    private List<Section.Wrong> wrong() {
        return runs.stream().flatMap(run -> WrongFigures.of(caption(run.changesPerLife()), run.column(), run.lost(),
                run.unasked()).stream()).toList();
    }

    private static String caption(double rate) {
        return FigureText.number(rate) + " changes of a task in its life in the queue ("
                + FigureText.number(rate * 1e9 / SERVICE_NANOS) + " changes/s in all)";
    }

    private Grid grid(double rate) {
        List<Run> at = at(rate);
        return new Grid.Builder(caption(rate), at.stream().map(Run::column).toList())
                .counts("decisions committed", "1/s", values(at, f -> f.perSecond(f.committed())))
                .measures("stale, refused at enforcement", "per 1000", values(at, f -> f.perThousand(f.stale())))
                .measures("refused for another reason", "per 1000",
                        values(at, f -> f.perThousand(f.refusedOtherwise())))
                .measures("never taken by the host: withdrawn, or their offer reversed", "per 1000",
                        values(at, f -> f.perThousand(f.skipped)))
                .measures("made in vain, sum of these", "per 1000", values(at, f -> f.perThousand(f.wasted())))
                .measures("offers reversed, answered or not", "per 1000", values(at, f -> f.perThousand(f.reversed)))
                .measures("change to its discovery, p50", "us",
                        values(at, f -> Percentiles.known(f.discovery).p50()))
                .measures("change to its discovery, p99", "us", values(at, f -> Percentiles.known(f.discovery).p99()))
                .measures("window observe to enforce, p50", "us", values(at, f -> Percentiles.known(f.window).p50()))
                .measures("window, p99", "us", values(at, f -> Percentiles.known(f.window).p99()))
                .measures("window, p99.9", "us", values(at, f -> Percentiles.known(f.window).p999()))
                .measures("CPU free to decision, p50", "us", values(at, f -> Percentiles.known(f.answer).p50()))
                .measures("CPU free to decision, p99", "us", values(at, f -> Percentiles.known(f.answer).p99()))
                .counts(SoloHost.OWN_PAUSES, "times", values(at, f -> f.ownPauses))
                .measures(SoloHost.LONGEST_OWN_PAUSE, "us", values(at, SoloFigures::longestOwnPauseMicros))
                .counts("host decided by itself, its soft window over", "1/s", values(at, f -> f.perSecond(f.local)))
                .counts("host decided by itself, no agent there", "1/s",
                        values(at, f -> f.perSecond(f.localWithoutAgent)))
                .counts("agents fenced", "times", values(at, f -> f.fences))
                .counts(WrongFigures.LOST, "tasks", at.stream().map(run -> (double) run.lost()).toList())
                .counts(WrongFigures.UNASKED, "runs", at.stream().map(run -> (double) run.unasked()).toList())
                .measures("host CPU outside tasks", "us/decision", values(at, SoloFigures::hostMicrosPerDecision))
                .counts("decisions per host CPU second", "1/s", values(at, SoloFigures::decisionsPerHostSecond))
                .build();
    }

    private static List<Double> values(List<Run> at, ToDoubleFunction<SoloFigures> value) {
        return at.stream().map(run -> value.applyAsDouble(run.figures())).toList();
    }

    private SoloFigures figures(String transport, boolean polling, double rate) {
        return at(rate).stream().filter(run -> run.transport().equals(transport) && run.polling() == polling)
                .findFirst().orElseThrow().figures();
    }

    private List<String> findings(List<Double> rates) {
        double low = rates.get(0);
        double high = rates.get(rates.size() - 1);
        List<String> found = new ArrayList<>();
        for (String name : bench.transports()) {
            SoloFigures calm = figures(name, true, low);
            SoloFigures wild = figures(name, true, high);
            if (calm.committed() == 0 || wild.committed() == 0) {
                found.add("Over " + name + " (polling) no decision of an agent was committed at "
                        + FigureText.number(calm.committed() == 0 ? low : high)
                        + " changes in a task's life: nothing is known about those made in vain.");
                continue;
            }
            found.add("Over " + name + " (polling), decisions made in vain per 1000 committed "
                    + FigureText.went(calm.perThousand(calm.wasted()), wild.perThousand(wild.wasted()))
                    + " as changes rose from " + FigureText.number(low) + " to " + FigureText.number(high)
                    + " in a task's life; " + how(wild) + ".");
        }
        String first = bench.transports().get(0);
        for (String name : bench.transports().subList(1, bench.transports().size())) {
            found.add(against(name, first, low));
        }
        found.addAll(sleeping(low));
        for (int i = 1; i < bench.transports().size(); i++) {
            for (int j = i + 1; j < bench.transports().size(); j++) {
                found.add(crossing(bench.transports().get(i), bench.transports().get(j), rates));
            }
        }
        return found;
    }

    private static String how(SoloFigures wild) {
        if (wild.wasted() == 0) {
            return "none was made in vain";
        }
        double late = 100.0 * wild.stale() / wild.wasted();
        return FigureText.number(late) + " % of these were refused as stale when they were to be enforced, "
                + FigureText.number(100.0 * wild.skipped / wild.wasted())
                + " % were never taken by the host, being withdrawn or promised for an offer that was reversed";
    }

    private String against(String name, String reference, double rate) {
        double window = Percentiles.known(figures(name, true, rate).window).p50();
        double base = Percentiles.known(figures(reference, true, rate).window).p50();
        return "With few changes the median window from observation to enforcement over " + name + " was "
                + FigureText.micros(window) + ", " + FigureText.times(window, base) + " that over " + reference + " ("
                + FigureText.micros(base) + "), polling.";
    }

    private List<String> sleeping(double rate) {
        List<String> found = new ArrayList<>();
        for (String name : bench.transports()) {
            SoloFigures poll = figures(name, true, rate);
            SoloFigures sleep = figures(name, false, rate);
            found.add("Waiting over " + name + ": polling, the host spent "
                    + FigureText.micros(poll.hostMicrosPerDecision())
                    + " of CPU outside tasks for each decision and a free"
                    + " CPU waited " + FigureText.micros(Percentiles.known(poll.answer).p50())
                    + " (median); with interrupts "
                    + FigureText.micros(sleep.hostMicrosPerDecision()) + " and "
                    + FigureText.micros(Percentiles.known(sleep.answer).p50()) + ".");
        }
        return found;
    }

    /** From which rate on, if from any, one transport commits more than the other. */
    private String crossing(String one, String other, List<Double> rates) {
        List<Double> ahead = rates.stream().filter(rate -> figures(other, true, rate).committed() > figures(one, true,
                rate).committed()).toList();
        String what = "Committed decisions, polling: ";
        if (ahead.isEmpty()) {
            return what + other + " stayed at or below " + one + " at every rate tried.";
        }
        return ahead.size() == rates.size()
                ? what + other + " was above " + one + " at every rate tried."
                : what + other + " was above " + one + " at "
                        + String.join(", ", ahead.stream().map(FigureText::number).toList())
                        + " changes in a task's life, and not at the other rates tried.";
    }
}
