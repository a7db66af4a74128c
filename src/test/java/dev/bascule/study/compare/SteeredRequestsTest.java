package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.TimeHistogram;
import dev.bascule.report.Percentiles;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SteeredRequestsTest {
    private static Bench bench(String... transports) {
        return new Bench(List.of(transports), (name, directory) -> {
            throw new AssertionError("E7 opens its own");
        }, (session, collecting) -> {
            throw new AssertionError("E7 starts its own");
        }, what -> {}, true, 7, 1, 2, 64, 1, -1);
    }

    private static RequestRuns.Figures figures(long unaccounted, long astray) {
        TimeHistogram latency = TimeHistogram.single();
        latency.record(10_000);
        return new RequestRuns.Figures(1_000, Percentiles.of(latency), 100, 0, 0, unaccounted, astray, 3, 2, 0.5);
    }

    @Test
    void theSwapIsOneTransportWhichPlaysEachDepthWithTheBenchsSeed() {
        List<String> played = new ArrayList<>();
        SteeredRequests requests = new SteeredRequests(bench("on-host", "wave", "swap0", "swap1"),
                (transport, depth, count, seed) -> {
                    played.add(transport + " " + depth + " " + seed);
                    return figures(0, 0);
                });
        requests.play();
        assertThat(played).containsExactly("on-host 1 7", "on-host 4 7", "on-host 12 7", "wave 1 7", "wave 4 7",
                "wave 12 7", "swap 1 7", "swap 4 7", "swap 12 7");
        Section section = requests.section();
        assertThat(section.grids()).hasSize(3)
                .allMatch(grid -> grid.columns().equals(List.of("on-host", "wave", "swap")));
        assertThat(section.wrong()).isEmpty();
    }

    @Test
    void aRequestOfWhichNobodyKnowsAndAnAnswerTooManyAreWrong() {
        SteeredRequests requests = new SteeredRequests(bench("wave"),
                (transport, depth, count, seed) -> figures(depth == 4 ? 2 : 0, depth == 12 ? 1 : 0));
        requests.play();
        assertThat(requests.section().wrong()).extracting(Section.Wrong::column, Section.Wrong::count)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("wave", 2L),
                        org.assertj.core.groups.Tuple.tuple("wave", 1L));
    }
}
