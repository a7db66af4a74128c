package dev.bascule.compare;

import dev.bascule.report.Grid;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The tables of E8. */
final class FaultGrids {
    private static final String COLLECTED = "the agent's garbage collector";

    private FaultGrids() {}

    static List<Grid> of(List<Faults.Kill> kills, List<Faults.Pause> pauses, List<Faults.Collected> collected) {
        List<Grid> grids = new ArrayList<>();
        for (boolean polling : new boolean[] { true, false }) {
            List<Faults.Kill> some = kills.stream().filter(kill -> kill.polling() == polling).toList();
            if (some.isEmpty()) {
                continue;
            }
            grids.add(kills(killed(polling), some));
        }
        for (double millis : Faults.PAUSES_MILLIS) {
            grids.add(pauses(millis, pauses.stream().filter(pause -> pause.millis() == millis).toList()));
        }
        grids.add(collected(collected));
        return grids;
    }

    /** What must not be, by table and column. */
    static List<Section.Wrong> wrong(List<Faults.Kill> kills, List<Faults.Pause> pauses,
            List<Faults.Collected> collected) {
        List<Section.Wrong> wrong = new ArrayList<>();
        kills.forEach(kill -> wrong.addAll(wrong(killed(kill.polling()), kill.column(), kill.account())));
        pauses.forEach(pause -> wrong.addAll(wrong(stopped(pause.millis()), pause.column(), pause.account())));
        collected.forEach(run -> wrong.addAll(wrong(COLLECTED, run.column(), run.account())));
        return wrong;
    }

    private static List<Section.Wrong> wrong(String table, String column, Faults.Account account) {
        return WrongFigures.of(table, column, account.lost(), account.unasked());
    }

    private static String killed(boolean polling) {
        return "SIGKILL, host " + (polling ? "polling" : "sleeping until interrupts");
    }

    private static String stopped(double millis) {
        return "SIGSTOP for " + Words.micros(millis * 1e3);
    }

    static double median(List<Double> values) {
        List<Double> known = values.stream().filter(Double::isFinite).sorted().toList();
        return known.isEmpty() ? Double.NaN : known.get(known.size() / 2);
    }

    /** How many of them did not happen. */
    private static double unknown(List<Double> values) {
        return values.stream().filter(value -> !Double.isFinite(value)).count();
    }

    private static double max(List<Double> values) {
        return values.stream().filter(Double::isFinite).mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }

    private static <T> List<Double> values(List<T> items, ToDoubleFunction<T> value) {
        return items.stream().map(item -> value.applyAsDouble(item)).toList();
    }

    private static Grid kills(String caption, List<Faults.Kill> at) {
        return new Grid.Builder(caption, at.stream().map(Faults.Kill::column).toList())
                .counts("kills", "times", values(at, kill -> kill.fenceMicros().size()))
                .counts("never answered by the host itself, not in the next row", "kills",
                        values(at, kill -> unknown(kill.localMicros())))
                .measures("first decision of the host itself, median", "us",
                        values(at, kill -> median(kill.localMicros())))
                .counts("never fenced, not in the next two rows", "kills",
                        values(at, kill -> unknown(kill.fenceMicros())))
                .measures("agent fenced, median", "us", values(at, kill -> median(kill.fenceMicros())))
                .measures("agent fenced, latest", "us", values(at, kill -> max(kill.fenceMicros())))
                .counts("no new agent decided, not in the next row", "kills",
                        values(at, kill -> unknown(kill.recoverMicros())))
                .measures("new agent decides, median", "us", values(at, kill -> median(kill.recoverMicros())))
                .measures("decisions of the host until then", "a kill", values(at, Faults.Kill::hostDecisions))
                .counts(WrongFigures.LOST, "tasks", values(at, kill -> kill.account().lost()))
                .counts(WrongFigures.UNASKED, "runs", values(at, kill -> kill.account().unasked())).build();
    }

    private static Grid pauses(double millis, List<Faults.Pause> at) {
        return new Grid.Builder(stopped(millis), at.stream().map(Faults.Pause::column).toList())
                .counts("stops", "times", values(at, Faults.Pause::stops))
                .counts("soft window over, host decided by itself", "stops", values(at, Faults.Pause::noticed))
                .measures("first such decision, mean", "us", values(at, Faults.Pause::localMicros))
                .measures("decisions of the host itself", "a stop",
                        values(at, pause -> (double) pause.hostDecisions() / pause.stops()))
                .counts("false alarms (fenced though alive)", "times", values(at, Faults.Pause::fences))
                .counts(WrongFigures.LOST, "tasks", values(at, pause -> pause.account().lost()))
                .counts(WrongFigures.UNASKED, "runs", values(at, pause -> pause.account().unasked())).build();
    }

    private static Grid collected(List<Faults.Collected> at) {
        return new Grid.Builder(COLLECTED, at.stream().map(Faults.Collected::column).toList())
                .measures("length of the run", "s", values(at, run -> run.figures().seconds()))
                .counts("collections", "times", values(at, run -> run.pausesMillis().size()))
                .measures("longest pause", "ms", values(at, run -> run.pausesMillis().stream()
                        .mapToDouble(Double::doubleValue).max().orElse(Double.NaN)))
                .counts("soft window over", "an hour", values(at, run -> hourly(run.figures(), run.figures().local)))
                .counts("host decided by itself, no agent there", "times",
                        values(at, run -> run.figures().localWithoutAgent))
                .counts("false alarms (fenced though alive)", "an hour",
                        values(at, run -> hourly(run.figures(), run.figures().fences)))
                .measures("window observe to enforce, p99", "us",
                        values(at, run -> run.figures().window.percentiles().p99()))
                .measures("window, p99.9", "us", values(at, run -> run.figures().window.percentiles().p999()))
                .counts("decisions committed", "1/s", values(at, run -> run.figures().perSecond(
                        run.figures().committed())))
                .counts(WrongFigures.LOST, "tasks", values(at, run -> run.account().lost()))
                .counts(WrongFigures.UNASKED, "runs", values(at, run -> run.account().unasked())).build();
    }

    static double hourly(SoloFigures figures, long count) {
        return 3600 * figures.perSecond(count);
    }
}
