package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.tier.AccessSources;
import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.Section;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is measured here beside Wave's simulated offloads. */
@Timeout(180)
class LiveWaveTest {
    @Test
    void memoryIsMeasuredWhereTheKernelShowsAccessesAndElseItIsSaidWhyNot() throws Exception {
        List<Figure> figures = LiveWave.memory(true, 1);
        Figure saved = figures.getFirst();
        if (AccessSources.all().stream().anyMatch(AccessSources.Availability::isThere)) {
            assertThat(saved.note()).startsWith("small, live, this machine: ").contains("access bits from");
            assertThat(saved.value()).as(saved.note()).isGreaterThan(0).isLessThan(100);
            Figure cores = figures.getLast();
            double cpuMillis = value(figures, "scan a GiB") + value(figures, "classify a GiB");
            assertThat(cores.value()).as("59.6 GiB/s have 1 Gbit/s of entries").isCloseTo(cpuMillis / 1e3 * 59.6,
                    Offset.offset(0.001 * cores.value()));
            assertThat(cores.published()).isNotNull().satisfies(known -> assertThat(known.low()).isEqualTo(16));
            assertThat(cores.isCompared()).as("other work on another machine").isFalse();
        } else {
            assertThat(saved.value()).isNaN();
            assertThat(saved.note()).startsWith("not measured here: ").contains("page-idle");
        }
    }

    private static double value(List<Figure> figures, String what) {
        double value = figures.stream().filter(one -> one.what().contains(what)).findFirst().orElseThrow().value();
        assertThat(value).as(what).isPositive();
        return value;
    }

    @Test
    void whatIsMeasuredStandsInTheTableOfWhatIsSimulatedWithItsScale() {
        Section section = new Section("f", "RPC", "by hand", List.of(new Figure("simulated", "cores", 7, null)))
                .with(List.of(Figure.measured("live", "cores", 0.5, "small, live, this machine"),
                        Figure.measured("more", "cores", Double.NaN, "not measured here: no card")));
        StringWriter out = new StringWriter();
        SimulatedReproduction.print(new PrintWriter(out, true), section);
        assertThat(out.toString()).contains("measured: small, live, this machine",
                "measured: not measured here: no card");
        assertThat(out.toString().lines().filter(line -> line.matches(" *live +cores .*0\\.5.* measured.*")))
                .hasSize(1);
        assertThat(SimulatedReproduction.json(section).pretty()).contains("\"kind\": \"measured\"",
                "\"note\": \"not measured here: no card\"");
    }
}
