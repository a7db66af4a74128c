package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.bascule.host.TimeHistogram;
import dev.bascule.report.ClassLatency;
import dev.bascule.report.Grid;
import dev.bascule.report.Percentiles;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What E1, E2 and E4 ask to be played, and what they make of it. */
class ReplayedLoadsTest {
    private final List<LoadRuns.Setting> played = new ArrayList<>();

    private static Bench bench(String... transports) {
        return new Bench(List.of(transports), (name, directory) -> {
            throw new AssertionError("opened by what plays loads");
        }, (session, collecting) -> {
            throw new AssertionError("started by what plays loads");
        }, what -> {}, true, 7, 1, 2, 64, 2, -1);
    }

    private LoadRuns player(String lossy) {
        return setting -> {
            played.add(setting);
            TimeHistogram latency = TimeHistogram.single();
            latency.record(10_000L * setting.staged());
            double most = setting.transport().equals("swap1") ? 800 : 900;
            return setting.parts().stream().map(part -> new LoadRuns.Point(part, 1_000 * part, most,
                    Percentiles.of(latency), setting.mix().names().stream()
                            .map(name -> new ClassLatency(name, Percentiles.of(latency))).toList(),
                    Percentiles.of(latency), 100, 1, setting.staged() == 4 ? 12 : 2, 3, 1,
                    setting.transport().equals(lossy) ? 5 : 0)).toList();
        };
    }

    @Test
    void loadsArePartsOfTheLeastThatWasAnsweredUnderAFlood() throws Exception {
        Loads loads = new Loads(bench("on-host", "swap1"), player(""));
        loads.play();
        assertThat(played).extracting(LoadRuns.Setting::column).containsExactly("on-host polling",
                "on-host interrupt", "swap1 polling", "swap1 interrupt", "on-host polling", "on-host interrupt",
                "swap1 polling", "swap1 interrupt");
        assertThat(played).extracting(LoadRuns.Setting::perSecond).containsExactly(0.0, 0.0, 0.0, 0.0, 800.0, 800.0,
                800.0, 800.0);
        assertThat(played).allMatch(setting -> setting.seed() == 7 && setting.staged() == 2
                && setting.oneWayNanos() == LoadRuns.AS_CONFIGURED && !setting.urgentFirst());
        Section section = loads.section();
        assertThat(section.grids()).extracting(Grid::caption).containsExactly("mix fixed, load 0.3",
                "mix fixed, load 0.7", "mix fixed, a flood");
        assertThat(section.findings()).singleElement().asString().contains("800 over swap1 interrupt", "on 1 CPU(s)");
    }

    @Test
    void aLinksLatencyIsSweptUnderTransportsThatCrossIt() throws Exception {
        LinkLatencies latencies = new LinkLatencies(bench("on-host", "wave", "swap0"), player(""));
        latencies.play();
        assertThat(played.subList(0, 4)).extracting(LoadRuns.Setting::transport, LoadRuns.Setting::oneWayNanos)
                .containsExactly(tuple("wave", 0L), tuple("wave", 1_000L), tuple("swap0", 0L), tuple("swap0", 1_000L));
        assertThat(latencies.section().grids()).hasSize(4)
                .allMatch(grid -> grid.columns().equals(List.of("wave", "swap0")));
        LinkLatencies none = new LinkLatencies(bench("on-host"), player(""));
        none.play();
        assertThat(none.section().findings().get(0)).contains("nothing was played");
    }

    @Test
    void prioritiesArePlayedWithOneAndWithMoreDecisionsStaged() throws Exception {
        Priorities priorities = new Priorities(bench("wave", "swap-end"), player(""));
        priorities.play();
        assertThat(played.subList(0, 4)).extracting(LoadRuns.Setting::staged).containsExactly(1, 4, 1, 4);
        assertThat(played).allMatch(LoadRuns.Setting::urgentFirst);
        assertThat(priorities.section().findings().get(1)).contains("Over swap-end", "rose from 10", "to 40");
        assertThat(priorities.section().findings()).as("it was hardly the agent that decided")
                .contains("Over swap-end polling, 4 decisions staged ahead, the host itself made 12 of 112 decisions:"
                        + " its figures there are not the transport's.")
                .noneMatch(found -> found.contains("1 decision staged ahead, the host"));
    }

    @Test
    void aRequestThatIsNotAnsweredOnceIsWrong() throws Exception {
        Priorities priorities = new Priorities(bench("wave", "swap1"), player("swap1"));
        priorities.play();
        assertThat(priorities.section().wrong()).hasSize(4)
                .allMatch(wrong -> wrong.column().equals("swap1") && wrong.count() == 5);
    }
}
