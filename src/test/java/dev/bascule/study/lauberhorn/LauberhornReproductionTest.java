package dev.bascule.study.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.study.lauberhorn.LauberhornFigure.Kind;
import dev.bascule.study.lauberhorn.LauberhornFigure.Origin;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Part;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class LauberhornReproductionTest {
    private static final CostProfile COSTS = CostProfiles.interconnects("interconnects");

    private static LauberhornFigure figure(Part part, String what) {
        return part.figures().stream().filter(figure -> figure.what().equals(what)).findAny()
                .orElseThrow(() -> new AssertionError("no figure '" + what + "'"));
    }

    @Test
    void sixtyFourBytesThereAndBackFollowFromTheFile() {
        Part part = new LineCosts(COSTS).roundTrips();
        assertThat(figure(part, "coherent lines, ECI").value()).isEqualTo(0.764 + 0.864, within(1e-9));
        assertThat(figure(part, "coherent lines, ECI").kind()).isEqualTo(Kind.COMPUTED);
        assertThat(figure(part, "PCIe MMIO").value()).as("8 loads, one line back")
                .isEqualTo((236 + 8 * 369.7 + 315 + 63.1) / 1e3, within(1e-9));
        assertThat(figure(part, "PCIe MMIO").value()).isEqualTo(figure(part, "PCIe MMIO").published(), within(0.01));
        assertThat(figure(part, "PCIe DMA with descriptors, polled").value())
                .isGreaterThan(figure(part, "coherent lines, ECI").value());
    }

    @Test
    void sizesThatNothingWasFittedToAreWithinAQuarterOfWhatWasMeasuredOnTheMachine() {
        Part part = new LineCosts(COSTS).sizes(new HashMap<>());
        assertThat(part.figures()).filteredOn(figure -> figure.deviationPercent() != null && figure.unit().equals("us"))
                .hasSizeGreaterThan(20)
                .allSatisfy(figure -> assertThat(figure.deviationPercent()).as(figure.what()).isBetween(-25.0, 25.0));
        assertThat(part.figures()).filteredOn(figure -> figure.kind() == Kind.CALIBRATED).hasSize(12);
    }

    @Test
    void fromSomeSizeOnDmaIsQuickerAndNotBefore() {
        LineCosts costs = new LineCosts(COSTS);
        IntToDoubleFunction lines = bytes -> costs.eciReceive(bytes) + costs.eciSend(bytes);
        IntToDoubleFunction dma = bytes -> costs.dmaReceive(bytes) + costs.dmaSend(bytes);
        int from = (int) LineCosts.crossover(lines, dma);
        assertThat(from).isGreaterThan(64);
        for (int bytes = 64; bytes <= 9_600; bytes += 64) {
            assertThat(dma.applyAsDouble(bytes) < lines.applyAsDouble(bytes)).as("%d bytes", bytes)
                    .isEqualTo(bytes >= from);
        }
        assertThat(LineCosts.crossover(bytes -> 1, bytes -> 2)).isNaN();
    }

    @Test
    void lauberhornNeedsTheLeastOfACoreAndOfTheInterconnect() {
        EndSystem end = new EndSystem(COSTS);
        EndSystem.Path lauberhorn = end.lauberhorn("eci");
        assertThat(end.paths()).filteredOn(path -> !path.name().startsWith("Lauberhorn")).allSatisfy(path -> {
            assertThat(path.transactions()).isGreaterThan(lauberhorn.transactions());
            assertThat(path.latencyNanos()).as(path.name()).isGreaterThan(lauberhorn.latencyNanos());
        });
    }

    /** The paper's headline: quicker than the kernel's way and than bypass where services are many and come in bursts. */
    @Test
    void inADynamicMixLauberhornIsQuickerThanBypassAndThanTheKernel() {
        Part part = new DynamicMix(COSTS, new EndSystem(COSTS), true, 1).run(new HashMap<>(), line -> {});
        for (String load : new String[] { "0.3", "0.6" }) {
            String at = ", load " + load + ": ";
            for (String percentile : new String[] { "p50", "p99" }) {
                double lauberhorn = figure(part, "Lauberhorn over ECI" + at + percentile).value();
                assertThat(lauberhorn).as(at + percentile)
                        .isLessThan(figure(part, "descriptor NIC with interrupt" + at + percentile).value())
                        .isLessThan(figure(part, "bypass, yielding" + at + percentile).value() / 3)
                        .isLessThan(figure(part, "bypass, spinning" + at + percentile).value() / 20);
            }
            String queues = "Lauberhorn over ECI, load " + load + ", queues of ";
            assertThat(figure(part, queues + "32: p99").value())
                    .isEqualTo(figure(part, "Lauberhorn over ECI" + at + "p99").value());
            assertThat(figure(part, queues + "65,536: refused").value()).isZero();
            assertThat(figure(part, queues + "32: refused").value()).as("of load %s", load).isBetween(0.0, 10.0);
        }
    }

    @Test
    void everyFigureSaysWhereItIsFrom() {
        LauberhornReproduction all = LauberhornReproduction.run(COSTS, true, false, 1, line -> {});
        assertThat(all.sections()).extracting(Part::id).containsExactly("a", "b", "c", "d");
        assertThat(all.sections()).filteredOn(part -> !part.id().equals("d"))
                .allSatisfy(part -> assertThat(part.figures()).extracting(LauberhornFigure::origin)
                        .containsOnly(Origin.COMPUTED));
        assertThat(all.sections().getLast().figures()).extracting(LauberhornFigure::origin)
                .containsOnly(Origin.SIMULATED);
        assertThat(all.sections()).flatExtracting(Part::figures)
                .filteredOn(figure -> !Double.isNaN(figure.published())
                        || figure.kind() != Kind.PREDICTED && figure.kind() != Kind.COMPUTED)
                .allSatisfy(figure -> assertThat(figure.source()).as(figure.what()).isNotBlank());
        assertThat(all.sections()).flatExtracting(Part::figures).filteredOn(figure -> figure.kind() == Kind.PREDICTED)
                .as("predicted means published").isNotEmpty().noneMatch(figure -> Double.isNaN(figure.published()));
        assertThat(all.sections().getLast()).satisfies(LauberhornReproductionTest::oneAtATimeTakesWhatIsComputed);
        assertThat(all.curves()).containsOnlyKeys("lauberhorn-sizes.svg", "lauberhorn-mix.svg");
    }

    private static void oneAtATimeTakesWhatIsComputed(Part mix) {
        EndSystem end = new EndSystem(COSTS);
        Map<String, EndSystem.Path> paths = Map.of("descriptor NIC with interrupt", end.interrupt(),
                "bypass, spinning", end.bypass(), "bypass, yielding", end.bypass(), "Wave steering", end.wave(), "swap",
                end.swap(), "Lauberhorn over ECI", end.lauberhorn("eci"), "Lauberhorn over CXL", end.lauberhorn("cxl"));
        paths.forEach((system, path) -> assertThat(
                figure(mix, system + ", one small RPC at a time: frame in to reply out").value()).as(system)
                .isEqualTo(path.latencyNanos() / 1e3, within(0.01)));
    }

    @Test
    void aFileOfAnotherKindIsRefused() {
        assertThatThrownBy(() -> CostProfiles.interconnects("published")).hasMessageContaining("kind: interconnects");
    }
}
