package dev.bascule.study.compare;

import dev.bascule.report.Grid;
import dev.bascule.report.Percentiles;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Results of {@link Faults}: the tables of E8, the figures in them that are wrong, and the findings in words. */
record FaultFigures(Bench bench, List<Faults.Kill> kills, List<Faults.Pause> pauses, List<Faults.Collected> collected) {
    private static final String COLLECTED = "the agent's garbage collector";

    List<Grid> grids() {
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

    /** Figures that must not be, by table and column. */
    List<Section.Wrong> wrong() {
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
        return "SIGSTOP for " + FigureText.micros(millis * 1e3);
    }

    private static double median(List<Double> values) {
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
                        values(at, run -> Percentiles.known(run.figures().window).p99()))
                .measures("window, p99.9", "us", values(at, run -> Percentiles.known(run.figures().window).p999()))
                .counts("decisions committed", "1/s", values(at, run -> run.figures().perSecond(
                        run.figures().committed())))
                .counts(WrongFigures.LOST, "tasks", values(at, run -> run.account().lost()))
                .counts(WrongFigures.UNASKED, "runs", values(at, run -> run.account().unasked())).build();
    }

    private static double hourly(SoloFigures figures, long count) {
        return 3600 * figures.perSecond(count);
    }

    /** Findings in words: other figures, other sentences. */
    List<String> findings() {
        List<String> found = new ArrayList<>();
        bench.transports().forEach(name -> addKilled(found, name));
        addEqualBudgets(found);
        bench.transports().forEach(name -> addStopped(found, name));
        bench.transports().forEach(name -> addCollected(found, name));
        found.add(losses());
        return found;
    }

    private Faults.Kill kill(String name, boolean polling, boolean reported) {
        return kills.stream().filter(kill -> kill.transport().equals(name) && kill.polling() == polling
                && kill.reported() == reported).findFirst().orElseThrow();
    }

    private void addKilled(List<String> found, String name) {
        Faults.Kill reported = kill(name, true, true);
        Faults.Kill silent = kill(name, true, false);
        if (isSingle(silent)) {
            return;
        }
        found.add("SIGKILL over " + name + " (polling): the host decided by itself "
                + FigureText.micros(median(silent.localMicros()))
                + " after the kill, fenced the agent after "
                + FigureText.micros(median(silent.fenceMicros())) + " by its silence alone and after "
                + FigureText.micros(median(reported.fenceMicros()))
                + " with the supervisor's report of the exit; a new agent decided after "
                + FigureText.micros(median(reported.recoverMicros())) + ".");
    }

    /** One kill is an anecdote: it stands in the table, and in no sentence. */
    private static boolean isSingle(Faults.Kill kill) {
        return kill.fenceMicros().size() < 2;
    }

    /** One budget detects alike over all transports, or not; the figures tell. */
    private void addEqualBudgets(List<String> found) {
        List<Double> fences = bench.transports().stream()
                .map(name -> kill(name, true, false)).filter(kill -> !isSingle(kill))
                .map(kill -> median(kill.fenceMicros())).filter(Double::isFinite).toList();
        if (fences.size() < 2) {
            return;
        }
        double least = fences.stream().min(Comparator.naturalOrder()).orElseThrow();
        double most = fences.stream().max(Comparator.naturalOrder()).orElseThrow();
        String budget = "Every detection by silence rests on a timer: the soft window and the hard limit. ";
        found.add(most <= 1.25 * least
                ? budget + "With the same limits the transports fenced within " + FigureText.micros(least) + " to "
                        + FigureText.micros(most) + ": the budget decides, not the protocol."
                : budget + "With the same limits the slowest transport took " + FigureText.number(most / least)
                        + " times as long as the fastest to fence (" + FigureText.micros(most) + " against "
                        + FigureText.micros(least) + ").");
    }

    private void addStopped(List<String> found, String name) {
        for (boolean polling : new boolean[] { true, false }) {
            List<Faults.Pause> mine = pauses.stream().filter(pause -> pause.transport().equals(name)
                    && pause.polling() == polling).toList();
            String soft = mine.stream().filter(pause -> 2 * pause.noticed() >= pause.stops())
                    .map(pause -> FigureText.micros(pause.millis() * 1e3)).findFirst().orElse("no length tried");
            int alarms = mine.stream().mapToInt(Faults.Pause::fences).sum();
            List<String> fenced = mine.stream().filter(pause -> pause.fences() > 0)
                    .map(pause -> pause.fences() + " of " + pause.stops() + " stops of "
                            + FigureText.micros(pause.millis() * 1e3))
                    .toList();
            found.add("SIGSTOP over " + name + (polling ? " (polling)" : " (interrupt)")
                    + ": the host decided by itself in at least half of the stops from " + soft + " on; "
                    + (alarms == 0
                            ? "no living agent was fenced."
                            : "false alarms, a living agent fenced: " + String.join(", ", fenced) + "."));
        }
    }

    private void addCollected(List<String> found, String name) {
        List<Faults.Collected> mine = collected.stream().filter(run -> run.transport().equals(name)).toList();
        Faults.Collected calm = mine.get(0);
        Faults.Collected busy = mine.get(1);
        double longest = busy.pausesMillis().stream().mapToDouble(Double::doubleValue).max().orElse(0);
        found.add("Garbage collection over " + name + ": " + busy.pausesMillis().size() + " pauses in "
                + FigureText.number(busy.figures().seconds()) + " s, the longest " + FigureText.number(longest)
                + " ms; soft windows that ran out, per hour: " + FigureText.number(hourly(busy.figures(),
                        busy.figures().local))
                + " against " + FigureText.number(hourly(calm.figures(), calm.figures().local))
                + " without; living agents fenced: " + busy.figures().fences + " against " + calm.figures().fences
                + ".");
    }

    private String losses() {
        List<Faults.Account> all = Stream.of(kills.stream().map(Faults.Kill::account),
                pauses.stream().map(Faults.Pause::account), collected.stream().map(Faults.Collected::account))
                .flatMap(accounts -> accounts).toList();
        long lost = all.stream().mapToLong(Faults.Account::lost).sum();
        long unasked = all.stream().mapToLong(Faults.Account::unasked).sum();
        return lost == 0 && unasked == 0
                ? "No task was lost by any fault, and none ran that had not asked, by the count of the load."
                : "WRONG: " + lost + " tasks were lost, and " + unasked + " runs were of tasks that had not asked.";
    }
}
