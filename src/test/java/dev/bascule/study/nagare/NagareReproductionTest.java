package dev.bascule.study.nagare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class NagareReproductionTest {
    private static final List<String> SAID = new ArrayList<>();
    private static final NagareReproduction RESULT = NagareReproduction.run(true, SAID::add);
    private static final Map<String, Section> SECTIONS = RESULT.sections().stream()
            .collect(Collectors.toMap(Section::id, section -> section));

    private static double value(String id, String what) {
        return SECTIONS.get(id).figures().stream().filter(figure -> figure.what().equals(what)).findFirst()
                .orElseThrow()
                .value();
    }

    @Test
    void theProposalsCountsComeOut() {
        for (Figure figure : SECTIONS.get("a").figures()) {
            if (figure.published() != null) {
                assertThat(figure.deviation()).as(figure.what()).isCloseTo(0, within(2.5));
            }
        }
        assertThat(value("a", "CPU in the middle: transfers")).isEqualTo(12);
        assertThat(value("a", "streams: latency")).isEqualTo(1.5);
    }

    @Test
    void timesAreHalfRoundTripsAndStages() {
        // 2 per transfer by the CPU: n accelerators take 6 half round trips each, the card 6 more
        for (int count : new int[] { 1, 2, 4, 8 }) {
            assertThat(value("b", "CPU in the middle, " + count + " accelerators"))
                    .isCloseTo((6 * count + 6) * 0.379, within(1e-9));
            assertThat(value("b", "streams, " + count + " accelerators"))
                    .isCloseTo((count + 1) * (0.379 + 0.1 / 3), within(1e-5));
        }
    }

    @Test
    void branchesAddUpUntilTheCardsLinkIsFull() {
        double one = value("c", "512 bytes, 1 accelerators");
        assertThat(one).isCloseTo(20e3 / 8 / 512, within(0.02));
        assertThat(value("c", "512 bytes, 4 accelerators")).isCloseTo(4 * one, within(0.1));
        assertThat(value("c", "512 bytes, 8 accelerators")).isLessThan(8 * one);
    }

    @Test
    void aLinkCarriesNoMoreThanItCan() {
        double link = 8 * 16 * 128 / 130.0;
        for (Figure figure : SECTIONS.get("d").figures()) {
            assertThat(figure.value()).as(figure.what()).isPositive().isLessThan(link);
        }
        assertThat(value("d", "streams, 1500 bytes")).isGreaterThan(3 * value("d", "CPU in the middle, 1500 bytes"));
    }

    @Test
    void everyItemOfManyStreamsComesOut() {
        assertThat(value("e", "items that came out")).isEqualTo(200_000);
        assertThat(value("e", "buffers used at most") / 1024).isLessThan(value("e", "buffers that guarantee room"));
    }

    @Test
    void thePlotsAreDrawingsAndTheProgressNamesEachPart() {
        assertThat(RESULT.plots()).containsOnlyKeys("nagare-chains.svg", "nagare-trees.svg", "nagare-sizes.svg");
        assertThat(RESULT.plots().values()).allMatch(plot -> plot.contains("<svg"));
        assertThat(SAID).hasSize(5);
    }
}
