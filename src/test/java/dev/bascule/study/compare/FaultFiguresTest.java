package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.AgentProcess;
import dev.bascule.host.Session;
import dev.bascule.report.Grid;
import dev.bascule.report.Section;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sentences follow the figures: other figures, other sentences. */
class FaultFiguresTest {
    private static final Bench BENCH = bench("on-host", "wave");
    private static final Bench NOBODY = bench();

    private static Bench bench(String... transports) {
        return new Bench(List.of(transports), (name, directory) -> Session.onHost(directory, false),
                (session, collecting) -> new AgentProcess(List.of("false"), Path.of("none")), what -> {}, true, 1,
                200_000, 20_000_000, 64, 1, -1);
    }

    private static String words(double waveFenceMicros, int missing, int pauseFences) {
        return words(waveFenceMicros, missing, pauseFences, 2);
    }

    private static String words(double waveFenceMicros, int missing, int pauseFences, int times) {
        Faults.Account account = new Faults.Account(missing, 0);
        Faults.Account none = new Faults.Account(0, 0);
        List<Faults.Kill> kills = new ArrayList<>();
        List<Faults.Pause> pauses = new ArrayList<>();
        List<Faults.Collected> collected = new ArrayList<>();
        for (String name : BENCH.transports()) {
            double fence = name.equals("wave") ? waveFenceMicros : 20_000;
            for (int mode = 0; mode < 4; mode++) {
                kills.add(new Faults.Kill(name, (mode & 1) == 0, (mode & 2) != 0, Collections.nCopies(times, 210.0),
                        Collections.nCopies(times, fence), Collections.nCopies(times, 500_000.0), 100, account));
            }
            for (double millis : Faults.PAUSES_MILLIS) {
                for (boolean polling : new boolean[] { true, false }) {
                    int fences = millis > 50 ? pauseFences : 0;
                    pauses.add(new Faults.Pause(name, polling, millis, 10, millis < 1 ? 0 : 9, 20, fences, 200, none));
                }
            }
            for (boolean collecting : new boolean[] { false, true }) {
                SoloFigures figures = new SoloFigures(new long[4]);
                figures.wallNanos = 1_000_000_000;
                figures.local = collecting ? 5 : 0;
                collected.add(new Faults.Collected(name, collecting, figures, collecting ? List.of(3.5) : List.of(),
                        none));
            }
        }
        return String.join("\n", new FaultFigures(BENCH, kills, pauses, collected).findings());
    }

    @Test
    void equalDetectionIsPutDownToTheBudget() {
        assertThat(words(21_000, 0, 0)).contains("20.0 ms to 21.0 ms: the budget decides, not the protocol");
    }

    @Test
    void unequalDetectionIsNotPutDownToTheBudget() {
        assertThat(words(60_000, 0, 0)).contains("took 3.00 times as long as the fastest to fence")
                .doesNotContain("the budget decides");
    }

    @Test
    void oneKillMakesNoSentence() {
        assertThat(words(21_000, 0, 0, 2)).contains("SIGKILL over wave", "rests on a timer");
        assertThat(words(21_000, 0, 0, 1)).doesNotContain("SIGKILL over", "rests on a timer")
                .contains("SIGSTOP over wave", "No task was lost");
    }

    @Test
    void falseAlarmsAreCountedWhereThereAreAny() {
        assertThat(words(20_000, 0, 0)).contains("no living agent was fenced")
                .contains("at least half of the stops from 1.00 ms on");
        assertThat(words(20_000, 0, 7)).contains("a living agent fenced: 7 of 10 stops of 100 ms")
                .doesNotContain("no living agent was fenced");
    }

    @Test
    void aLostTaskIsCalledWrong() {
        assertThat(words(20_000, 0, 0)).contains("No task was lost");
        assertThat(words(20_000, 1, 0)).contains("WRONG: 8 tasks were lost");
    }

    @Test
    void killsThatWereNeverFencedAreCountedBesideTheMediansThatLeaveThemOut() {
        Faults.Kill kill = new Faults.Kill("wave", true, true, List.of(Double.NaN, 210.0, 220.0),
                List.of(Double.NaN, Double.NaN, 20_000.0), List.of(Double.NaN, Double.NaN, 500_000.0), 100,
                new Faults.Account(1, 2));
        Grid grid = new FaultFigures(BENCH, List.of(kill), List.of(), List.of()).grids().get(0);
        assertThat(value(grid, "never answered by the host itself")).isEqualTo(1);
        assertThat(value(grid, "never fenced")).isEqualTo(2);
        assertThat(value(grid, "agent fenced, median")).isEqualTo(20_000);
        assertThat(value(grid, "no new agent decided")).isEqualTo(2);
        assertThat(value(grid, "tasks lost")).isEqualTo(1);
        assertThat(value(grid, "runs of tasks that had not asked")).isEqualTo(2);
    }

    private static double value(Grid grid, String label) {
        return grid.rows().stream().filter(row -> row.label().startsWith(label)).findFirst().orElseThrow().values()
                .get(0);
    }

    @Test
    void aLossAfterAStopOrACollectionIsCalledWrongToo() {
        Faults.Pause pause = new Faults.Pause("wave", true, 1, 1, 1, 1, 0, 200, new Faults.Account(0, 1));
        assertThat(new FaultFigures(NOBODY, List.of(), List.of(pause), List.of()).findings()).last().asString()
                .startsWith("WRONG: 0 tasks were lost, and 1 run");
    }

    @Test
    void eachWrongFigureIsNamedByTableColumnAndRow() {
        Faults.Kill kill = new Faults.Kill("wave", true, true, List.of(1.0), List.of(1.0), List.of(1.0), 1,
                new Faults.Account(2, 0));
        Faults.Pause pause = new Faults.Pause("swap1", false, 1, 1, 1, 1, 0, 200, new Faults.Account(0, 3));
        Faults.Collected fine = new Faults.Collected("wave", true, new SoloFigures(new long[1]), List.of(),
                new Faults.Account(0, 0));
        FaultFigures figures = new FaultFigures(BENCH, List.of(kill), List.of(pause), List.of(fine));
        List<Section.Wrong> wrong = figures.wrong();
        assertThat(wrong).extracting(Section.Wrong::column).containsExactly("wave polling, exit reported",
                "swap1 interrupt");
        assertThat(wrong).extracting(Section.Wrong::count).containsExactly(2L, 3L);
        List<Grid> grids = figures.grids();
        assertThat(wrong).allSatisfy(figure -> assertThat(grids).anySatisfy(grid -> {
            assertThat(grid.caption()).isEqualTo(figure.table());
            assertThat(grid.columns()).contains(figure.column());
            assertThat(grid.rows()).extracting(Grid.Row::label).contains(figure.row());
        }));
    }

    @Test
    void collectionsAreSaidWithTheirAlarms() {
        assertThat(words(20_000, 0, 0)).contains("1 pauses in 1.00 s, the longest 3.50 ms",
                "per hour: 18,000 against 0 without");
    }
}
