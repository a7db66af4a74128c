package dev.bascule.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What the figures of E8 show, in words. */
final class FaultWords {
    private final Bench bench;
    private final List<Faults.Kill> kills;
    private final List<Faults.Pause> pauses;
    private final List<Faults.Collected> collected;
    private final List<String> found = new ArrayList<>();

    private FaultWords(Bench bench, List<Faults.Kill> kills, List<Faults.Pause> pauses,
            List<Faults.Collected> collected) {
        this.bench = bench;
        this.kills = kills;
        this.pauses = pauses;
        this.collected = collected;
    }

    static List<String> of(Bench bench, List<Faults.Kill> kills, List<Faults.Pause> pauses,
            List<Faults.Collected> collected) {
        FaultWords words = new FaultWords(bench, kills, pauses, collected);
        for (String name : bench.transports()) {
            words.killed(name);
        }
        words.equalBudgets();
        for (String name : bench.transports()) {
            words.stopped(name);
        }
        for (String name : bench.transports()) {
            words.collected(name);
        }
        words.found.add(losses(kills, pauses, collected));
        return words.found;
    }

    private Faults.Kill kill(String name, boolean polling, boolean reported) {
        return kills.stream().filter(kill -> kill.transport().equals(name) && kill.polling() == polling
                && kill.reported() == reported).findFirst().orElseThrow();
    }

    private void killed(String name) {
        Faults.Kill told = kill(name, true, true);
        Faults.Kill silent = kill(name, true, false);
        found.add("SIGKILL over " + name + " (polling): the host decided by itself "
                + Words.micros(FaultGrids.median(silent.localMicros())) + " after the kill, fenced the agent after "
                + Words.micros(FaultGrids.median(silent.fenceMicros())) + " by its silence alone and after "
                + Words.micros(FaultGrids.median(told.fenceMicros()))
                + " with the supervisor's report of the exit; a new agent decided after "
                + Words.micros(FaultGrids.median(told.recoverMicros())) + ".");
    }

    /** The same budget detects alike, or not; the figures tell. */
    private void equalBudgets() {
        List<Double> fences = bench.transports().stream()
                .map(name -> FaultGrids.median(kill(name, true, false).fenceMicros())).filter(Double::isFinite)
                .toList();
        if (fences.size() < 2) {
            return;
        }
        double least = fences.stream().min(Comparator.naturalOrder()).orElseThrow();
        double most = fences.stream().max(Comparator.naturalOrder()).orElseThrow();
        String budget = "Every detection by silence rests on a timer: the soft window and the hard limit. ";
        found.add(most <= 1.25 * least
                ? budget + "With the same limits the transports fenced within " + Words.micros(least) + " to "
                        + Words.micros(most) + ": the budget decides, not the protocol."
                : budget + "With the same limits the slowest transport took " + Words.number(most / least)
                        + " times as long as the fastest to fence (" + Words.micros(most) + " against "
                        + Words.micros(least) + ").");
    }

    private void stopped(String name) {
        for (boolean polling : new boolean[] { true, false }) {
            List<Faults.Pause> mine = pauses.stream().filter(pause -> pause.transport().equals(name)
                    && pause.polling() == polling).toList();
            String soft = mine.stream().filter(pause -> 2 * pause.noticed() >= pause.stops())
                    .map(pause -> Words.micros(pause.millis() * 1e3)).findFirst().orElse("no length tried");
            int alarms = mine.stream().mapToInt(Faults.Pause::fences).sum();
            List<String> fenced = mine.stream().filter(pause -> pause.fences() > 0)
                    .map(pause -> pause.fences() + " of " + pause.stops() + " stops of "
                            + Words.micros(pause.millis() * 1e3))
                    .toList();
            found.add("SIGSTOP over " + name + (polling ? " (polling)" : " (interrupt)")
                    + ": the host decided by itself in at least half of the stops from " + soft + " on; "
                    + (alarms == 0
                            ? "no living agent was fenced."
                            : "false alarms, a living agent fenced: " + String.join(", ", fenced) + "."));
        }
    }

    private void collected(String name) {
        List<Faults.Collected> mine = collected.stream().filter(run -> run.transport().equals(name)).toList();
        Faults.Collected calm = mine.get(0);
        Faults.Collected busy = mine.get(1);
        double longest = busy.pausesMillis().stream().mapToDouble(Double::doubleValue).max().orElse(0);
        found.add("Garbage collection over " + name + ": " + busy.pausesMillis().size() + " pauses in "
                + Words.number(busy.figures().seconds()) + " s, the longest " + Words.number(longest)
                + " ms; soft windows that ran out, per hour: " + Words.number(FaultGrids.hourly(busy.figures(),
                        busy.figures().local))
                + " against " + Words.number(FaultGrids.hourly(calm.figures(), calm.figures().local))
                + " without; living agents fenced: " + busy.figures().fences + " against " + calm.figures().fences
                + ".");
    }

    static String losses(List<Faults.Kill> kills, List<Faults.Pause> pauses, List<Faults.Collected> collected) {
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
