package dev.bascule.study.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.host.TimeHistogram;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.report.Agreement;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReproductionTest {
    private static final CostProfile PROFILE = CostProfiles.load("published");

    private static Lab lab(int repeat) {
        return new Lab(PROFILE, Reproduction.Size.of(true, 1), repeat);
    }

    private static Map<String, Double> figures(Section section) {
        return section.figures().stream().collect(Collectors.toMap(Figure::what, Figure::value));
    }

    @Test
    void microBenchmarksStandBesideTheirPublishedFigures() {
        Lab lab = lab(0);
        Section micro = new WaveMicro(lab).run();
        Map<String, Double> found = figures(micro);
        assertThat(found.get("none: context switch")).isGreaterThan(found.get("all, pulled: context switch"));
        assertThat(found.get("on-host: context switch")).isLessThan(found.get("none: context switch"));
        assertThat(found.get("all, pulled: wake-up to run, interrupt"))
                .as("an interrupt costs more than a poll")
                .isGreaterThan(found.get("all, pulled: wake-up to run, polling"));
        assertThat(micro.figures().stream().filter(f -> f.published() != null).count()).isEqualTo(3);
        assertThat(lab.littleErrors()).isZero();
        assertThat(lab.runs()).isPositive();
    }

    @Test
    void theSameSeedPredictsTheSame() {
        Section first = new FitoOps(lab(0)).idle();
        Section second = new FitoOps(lab(0)).idle();
        assertThat(first).isEqualTo(second);
    }

    @Test
    void aSlowerLinkIsNeverFaster() {
        CostProfile slow = FitoLoads.oneWay(PROFILE, 5_000);
        assertThat(slow.nanos("link.mmioReadWt")).isEqualTo(10_000);
        assertThat(slow.nanos("link.postedWrite")).isEqualTo(5_000);
        Lab lab = lab(0);
        double fast = lab.run(PROFILE, Contender.wave().transport(), dev.bascule.policy.FifoAgent::new,
                FitoLoads.exponential(5), 4, 0.3, o -> o).allSojourns().mean();
        double slower = lab.run(slow, Contender.wave().transport(), dev.bascule.policy.FifoAgent::new,
                FitoLoads.exponential(5), 4, 0.3, o -> o).allSojourns().mean();
        assertThat(slower).isGreaterThan(fast + 5_000);
    }

    @Test
    void everyLatencyOfTheLinkFollowsOneKey() {
        CostProfile slow = FitoLoads.oneWay(PROFILE, 5_000);
        for (String way : List.of("postedWrite", "dmaWrite")) {
            assertThat(slow.nanos("link." + way)).as(way).isEqualTo(5_000);
        }
        for (String both : List.of("mmioReadUc", "mmioReadWt", "dmaRead", "atomicOp", "sharedLine")) {
            assertThat(slow.nanos("link." + both)).as(both).isEqualTo(10_000);
        }
        long further = 5_000 - PROFILE.nanos("link.postedWrite");
        assertThat(slow.nanos("link.msix")).as("crosses once").isEqualTo(PROFILE.nanos("link.msix") + further);
        assertThat(asleep(slow) - asleep(PROFILE)).as("message to the agent, interrupt, and the decision read")
                .isGreaterThan(3 * further);
    }

    /** Median of jobs whose CPU sleeps when they come, ns. */
    private static double asleep(CostProfile costs) {
        return lab(0).run(costs, Contender.wave().transport(), dev.bascule.policy.FifoAgent::new,
                FitoLoads.exponential(5), 4, 0.02, o -> o.withPolling(false)).allSojourns().percentile(50);
    }

    @Test
    void aLatencyOfOverloadIsMarkedAndOneOfNoJobsIsNone() {
        FitoLoads loads = new FitoLoads(lab(0));
        assertThat(loads.figures(Contender.wave(), FitoLoads.exponential(1), 0.5))
                .filteredOn(f -> f.unit().equals("us"))
                .hasSize(4).allMatch(f -> f.note().startsWith("overloaded"));
        assertThat(loads.figures(Contender.wave(), FitoLoads.exponential(10), 0.3))
                .allMatch(f -> f.note().isEmpty() && f.value() > 0);
        assertThat(Lab.micros(new TimeHistogram(), 50)).isNaN();
        assertThat(Figure.of("p50", "us", Lab.micros(new TimeHistogram(), 50)).value()).isNaN();
    }

    @Test
    void aFigureThatThisProjectDecidedIsNotComparedWithAPublishedOne() {
        Published known = Published.of(10, "x", "primary");
        assertThat(new Figure("a", "ns", 20, known).isCompared()).isTrue();
        assertThat(new Figure("a", "ns", 20, known).chosen("a share").isCompared()).isFalse();
        assertThat(new Figure("a", "ns", 20, known).computed("a ratio").isCompared()).isFalse();
        Section memory = new WaveMemory(lab(0)).run();
        assertThat(memory.figures()).filteredOn(f -> f.published() != null).isNotEmpty().noneMatch(Figure::isCompared)
                .noneMatch(f -> f.choice().isEmpty());
    }

    @Test
    void theCrossoverOfChurnLiesBetweenTwoPointsOfTheGrid() {
        Section churn = new FitoLoads(lab(0)).churn();
        Figure crossover = churn.figures().getLast();
        assertThat(crossover.what()).startsWith("crossover").contains("interpolated");
        assertThat(crossover.note()).matches("between [0-9.]+ and [0-9.]+");
        assertThat(crossover.value()).isBetween(0.0, 0.1);
        assertThat(crossover.published()).isNotNull().satisfies(p -> assertThat(p.isOwn()).isTrue());
    }

    /** The dearer the round trip for which a CPU waits, the more decisions have to die; ahead of need there is none to wait for. */
    @Test
    void theBreakEvenOfAbortsGrowsWithTheLinksLatency() {
        List<Double> latencies = List.of(250.0, 1000.0);
        Map<String, Double> found = figures(
                new FitoBreakEven(lab(0)).run(latencies, List.of(0.0, 0.01, 0.03, 0.1, 0.3)));
        assertThat(found).hasSize(2 * 5);
        String end = ": aborts of Wave at break-even";
        double near = found.get("one way 250.0 ns, swap0, pulled" + end);
        double far = found.get("one way 1000.0 ns, swap0, pulled" + end);
        assertThat(near).as("all: %s", found).isPositive().isLessThan(far);
    }

    @Test
    void eachSwapIsComparedWithTheWaveWhoseDecisionsLieInTheSameMemory() {
        Map<String, Double> found = figures(new FitoLatency(lab(0)).run(List.of(2000.0)));
        String at = "one way 2000.0 ns, ";
        assertThat(found).hasSize(9 + 7);
        for (String place : List.of("pulled", "pushed")) {
            double swap = found.get(at + "swap0, " + place + ": saturation");
            double wave = found.get(at + "Wave, " + place + ": saturation");
            assertThat(found.get(at + "swap0, " + place + " over Wave")).isEqualTo(swap / wave);
        }
    }

    @Test
    void repeatsBecomeOneFigureWithAnInterval() {
        Section idle = Section
                .over(List.of(new FitoOps(lab(0)).idle(), new FitoOps(lab(1)).idle(), new FitoOps(lab(2)).idle()));
        assertThat(idle.figures()).hasSameSizeAs(new FitoOps(lab(0)).idle().figures());
        assertThat(idle.figures()).allSatisfy(f -> assertThat(f.estimate().repeats()).as(f.what()).isEqualTo(3));
        assertThat(idle.figures()).anySatisfy(f -> assertThat(f.estimate().half()).as(f.what()).isPositive());
        Figure noted = Figure.over(List.of(Figure.of("a", "ns", 1), Figure.of("a", "ns", 3).noted("once"),
                Figure.of("a", "ns", Double.NaN)));
        assertThat(noted.value()).isEqualTo(2);
        assertThat(noted.note())
                .isEqualTo("once; censored: 1 of 3 repeats have no such figure, the mean is of the others");
        assertThat(Figure.over(List.of(Figure.of("a", "ns", Double.NaN).noted("never"))).note()).isEqualTo("never");
    }

    @Test
    void deviationsAreFromTheNearerEndOfARange() {
        Published range = new Published(3_300, 4_000, "x", "second-hand");
        assertThat(new Figure("a", "ns", 3_500, range).deviation()).isZero();
        assertThat(new Figure("a", "ns", 3_000, range).deviation()).isNegative();
        assertThat(new Figure("a", "ns", 4_400, range).deviationText()).isEqualTo("+10 %");
        assertThat(Figure.of("a", "ns", 1).deviation()).isZero();
    }

    @Test
    void percentagesDeviateByPointsAndASignThatChangesIsNoPercentage() {
        Figure percentages = new Figure("NIC against host", "%", -4.9, Published.of(1.1, "x", "second-hand"));
        assertThat(percentages.deviationText()).isEqualTo("-6.0 points");
        assertThat(percentages.isClose()).isFalse();
        assertThat(new Figure("a", "%", 4.9, Published.of(1.1, "x", "primary")).isClose()).isTrue();
        Figure sign = new Figure("a", "us", -2, Published.of(1, "x", "primary"));
        assertThat(sign.deviationText()).isEqualTo("-3.0 us");
        assertThat(sign.isClose()).isFalse();
        assertThat(new Figure("a", "us", 2, Published.of(0, "x", "primary")).deviationText()).isEqualTo("+2.0 us");
    }

    @Test
    void onlyAFigureWithAPublishedCounterpartThatNothingChosenOrPutInDecidesIsPredicted() {
        Published known = Published.of(10, "x", "primary");
        assertThat(new Figure("a", "ns", 20, known).kind()).isEqualTo(Figure.Kind.PREDICTED);
        assertThat(Figure.of("a", "ns", 20).kind()).isEqualTo(Figure.Kind.COMPUTED);
        assertThat(new Figure("a", "ns", 20, Published.analysed(10, "x")).kind()).isEqualTo(Figure.Kind.COMPUTED);
        assertThat(new Figure("a", "Mpps", 148.2, known).limitedBy("the line", 148.8))
                .satisfies(figure -> assertThat(figure.kind()).isEqualTo(Figure.Kind.LIMIT))
                .satisfies(figure -> assertThat(figure.isCompared()).isFalse());
        assertThat(new Figure("a", "Mpps", 100, known).limitedBy("the line", 148.8).kind())
                .isEqualTo(Figure.Kind.PREDICTED);
    }

    @Test
    void theFirstLinesSayWhatAgreesAndWhatDoesNot() {
        Published ten = Published.of(10, "x", "primary");
        Section section = new Section("a", "b", "c", List.of(new Figure("near", "us", 11, ten),
                new Figure("far", "us", 20, ten), new Figure("put in", "us", 99, ten).computed("it"),
                Figure.of("alone", "us", 1)));
        assertThat(Section.agreement(List.of(section), "so").lines()).containsExactly(
                "Agrees: 1 of 2 predicted figures lie within 15 % of the published ones (percentages: 5 points),"
                        + " 50 %: (a) 1 of 2.",
                "Does not: 1 of them, by most (a) far by +100 %.", "Why: so.");
        assertThat(Section.agreement(List.of(), "so").agrees()).startsWith("nothing");
    }

    /** What a decision costs an agent whose cores map the NIC's memory uncached, ns. */
    private static final double UNCACHED = 1_013;

    private static Map<String, Double> rung(CostProfile profile) {
        Lab lab = new Lab(profile, Reproduction.Size.of(true, 1), 0);
        List<Figure> found = new WaveLadder(lab).coresMapping("FIFO", dev.bascule.policy.FifoAgent::new,
                dev.bascule.study.sim.JobMix.named("ghost-fifo"));
        assertThat(lab.littleErrors()).isZero();
        return found.stream().collect(Collectors.toMap(Figure::what, Figure::value));
    }

    @Test
    void theLastRungIsHowTheNicsCoresMapItsMemory() {
        assertThat(PROFILE.nanos("nicAgent.decision")).as("write-back, as the paper's best").isEqualTo(426);
        Map<String, Double> found = rung(PROFILE);
        String slow = "FIFO: all, pulled, and the NIC's memory uncached on its own cores, saturation";
        String ratio = "FIFO: all, pulled, and the NIC's memory write-back over uncached there";
        assertThat(found).containsOnlyKeys(slow, ratio);
        assertThat(found.get(ratio)).as("one agent is what saturates").isBetween(1.2, UNCACHED / 426);
        Map<String, Double> none = rung(PROFILE.with("nicAgent.decision", UNCACHED, "test"));
        assertThat(none.get(ratio)).as("cores that are uncached already").isEqualTo(1);
        assertThat(none.get(slow)).isEqualTo(found.get(slow));
    }
}
