package dev.bascule.study.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.Confidence;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.host.TimeHistogram;
import dev.bascule.study.sim.SimResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measured curves, and what the simulated host makes of them. */
class GhostReproductionTest {
    private static final CostProfile PROFILE = CostProfiles.load("ghost-measured");

    private static Lab lab() {
        return new Lab(PROFILE, Reproduction.Size.of(true, 1), 0);
    }

    @Test
    void everyMeasuredCurveRisesInLoadAndItsPercentilesAreInOrder() {
        List<MeasuredCurve> all = MeasuredCurve.all();
        assertThat(all).hasSize(18).allSatisfy(curve -> {
            assertThat(curve.points()).hasSizeGreaterThan(7);
            assertThat(curve.points()).extracting(MeasuredCurve.Point::perSecond).isSorted();
            assertThat(curve.points()).filteredOn(MeasuredCurve.Point::isDone)
                    .allMatch(p -> p.p50Nanos() <= p.p99Nanos() && p.p99Nanos() <= p.p999Nanos());
        });
    }

    /** The published files have 358 rows; of 31 the load is all that says something. */
    @Test
    void allPublishedRowsAreThereAndUndoneOnesHaveTheirLoadAlone() {
        List<MeasuredCurve.Point> rows = MeasuredCurve.all().stream().flatMap(c -> c.points().stream()).toList();
        assertThat(rows).hasSize(358).allMatch(row -> row.perSecond() > 0);
        assertThat(rows.stream().filter(row -> !row.isDone())).hasSize(31)
                .allMatch(row -> Double.isNaN(row.p50Nanos()) && Double.isNaN(row.p999Nanos()));
    }

    @Test
    void theRowsThatServeTheFitAreOfTwoCurvesOfDifferentDecisionRates() {
        assertThat(MeasuredCurve.all()).filteredOn(c -> c.system().equals("ghost"))
                .filteredOn(c -> c.points().stream().anyMatch(MeasuredCurve.Point::servesFit)).hasSize(2)
                .allMatch(c -> c.quantumMicros() == 30).extracting(MeasuredCurve::mix).containsExactly("4-10000", "1");
        assertThat(MeasuredCurve.all().stream().flatMap(c -> c.points().stream())
                .filter(MeasuredCurve.Point::servesFit)).as("11 of ghOSt, 3 of the longest jobs of others").hasSize(14)
                .allMatch(MeasuredCurve.Point::isDone);
    }

    @ParameterizedTest
    @CsvSource({ "ghost, 10, 4-10000, 275418, 280104", "ghost, 20, 4-10000, 275138, 277354",
            "ghost, 30, 4-10000, 269990, 280404", "ghost, 100, 4-10000, 240262, 249758",
            "ghost, 30, 1, 1200566, 1299615", "ghost, 30, 0.5-500, 999777, 1100046",
            "linux, 0, 4-10000, 180182, 189469", "shinjuku, 5, 4-10000, 249675, 259561",
            "shinjuku, 10, 4-10000, 290041, 300077", "shinjuku, 30, 4-10000, 320109, 329713",
            "skyloft, 0, 4-10000, 187665, 193076", "skyloft, 10, 4-10000, 295958, 325394",
            "skyloft, 20, 4-10000, 325879, 336807", "skyloft, 30, 4-10000, 311326, 318739" })
    void aKneeLiesBetweenNeighbouringRowsOfItsCurve(String system, int quantum, String mix, double low, double high) {
        MeasuredCurve curve = MeasuredCurve.of(system, quantum, mix);
        assertThat(curve.knee(100_000)).containsExactly(low, high);
        List<Double> loads = curve.points().stream().map(MeasuredCurve.Point::perSecond).toList();
        assertThat(loads.indexOf(high) - loads.indexOf(low)).isOne();
    }

    @Test
    void aKneeBeyondAllRowsIsTheLastAndOneBeforeAllIsZero() {
        assertThat(MeasuredCurve.of("ghost", 30, "4-10000").knee(1e9)).containsExactly(290_189, 290_189);
        assertThat(MeasuredCurve.of("ghost", 5, "1-100").knee(100_000)).containsExactly(0, 50_085);
    }

    @Test
    void whatWasFittedIsCalledSoAndStandsBesideItsDeviation() {
        Lab lab = lab();
        MeasuredCurve measured = MeasuredCurve.of("ghost", 30, "4-10000");
        List<Figure> curve = new GhostCurves(lab).figures(measured, GhostSystem.ghost(PROFILE, 30));
        assertThat(curve).hasSizeGreaterThan(12).allMatch(f -> f.published() != null).allMatch(Figure::isCompared);
        assertThat(curve).filteredOn(f -> f.what().contains(" 30 K/s")).hasSize(3)
                .allMatch(f -> f.kind() == Figure.Kind.CALIBRATED && f.choice().contains("this row"));
        assertThat(curve).filteredOn(f -> f.what().contains(" 280 K/s")).hasSize(3)
                .allMatch(f -> f.kind() == Figure.Kind.PREDICTED);
        assertThat(curve.getLast().what()).contains("greatest load");
        assertThat(curve.getLast().kind()).as("no row of a knee serves the fit").isEqualTo(Figure.Kind.PREDICTED);
        assertThat(lab.littleErrors()).isZero();
        assertThat(PROFILE.constants().values()).filteredOn(c -> c.confidence() == Confidence.CALIBRATED)
                .isNotEmpty().allMatch(c -> c.source().startsWith("fitted to rows of ghOSt with 30 us"));
        assertThat(CostProfiles.load("published").constants().values())
                .noneMatch(c -> c.confidence() == Confidence.CALIBRATED);
    }

    /** Half of the requests see no more than the host's own paths: what the curve says of those is 15 us and not 6. */
    @ParameterizedTest
    @CsvSource({ "29970, 12.392", "110122, 15.061" })
    void aRequestOnARealHostTakesAboutWhatWasMeasured(double perSecond, double p50) {
        SimResult result = run(GhostSystem.ghost(PROFILE, 30), perSecond);
        assertThat(result.incidents()).isEmpty();
        assertThat(result.allSojourns().percentile(50) / 1e3).isBetween(p50 * 0.75, p50 * 1.25);
    }

    /** 10 ms of work with an interrupt every 30 us took 10.61 ms under Shinjuku and 10.39 ms under Skyloft. */
    @Test
    void aDispatcherIsAsItsRowOfTheFitSays() {
        for (String system : List.of("shinjuku", "skyloft")) {
            GhostSystem.Dispatcher dispatcher = dispatcher(system);
            MeasuredCurve.Point row = MeasuredCurve.of(system, 30, "4-10000").points().getFirst();
            assertThat(row.servesFit()).isTrue();
            assertThat(dispatcher.median()).isEqualTo(row.p50Nanos());
            assertThat(dispatcher.longest()).isBetween(row.p999Nanos() * 0.998, row.p999Nanos());
            TimeHistogram times = run(GhostSystem.userLevel(PROFILE, 30, dispatcher), row.perSecond()).allSojourns();
            assertThat(times.percentile(1)).isBetween(dispatcher.least(), dispatcher.median());
            assertThat(times.percentile(50) / dispatcher.median()).isBetween(0.97, 1.03);
            assertThat(times.percentile(99.9) / dispatcher.longest()).isBetween(0.98, 1.02);
        }
    }

    private static SimResult run(GhostSystem system, double perSecond) {
        return system.run(lab(), "4-10000", perSecond, system.span(lab(), "4-10000", perSecond, 12));
    }

    private static GhostSystem.Dispatcher dispatcher(String system) {
        return system.equals("shinjuku") ? GhostSystem.SHINJUKU : GhostSystem.SKYLOFT;
    }

    /** A quantum is of work: what its interrupts take comes on top, also where that is a third of the quantum. */
    @ParameterizedTest
    @CsvSource({ "5, shinjuku", "10, shinjuku", "30, shinjuku", "5, skyloft", "15, skyloft" })
    void aPreemptionIsPaidOncePerQuantumOfWork(int quantumMicros, String system) {
        SimResult result = run(GhostSystem.userLevel(PROFILE, quantumMicros, dispatcher(system)), 2_000);
        double expected = 10e6 * (1 + dispatcher(system).preemptionNanos() / (quantumMicros * 1e3));
        assertThat(result.allSojourns().percentile(99.9) / expected).as("of %s ns", expected).isBetween(0.99, 1.01);
    }

    /** Jobs of 10 ms took 10.85 ms under Skyloft without preemption. */
    @Test
    void withoutAQuantumALongJobOfSkyloftTakesWhatWasMeasured() {
        SimResult result = run(GhostSystem.userLevel(PROFILE, 0, GhostSystem.SKYLOFT), 55_505);
        assertThat(result.allSojourns().percentile(99.9) / 1e6).isBetween(10.85 * 0.99, 10.85 * 1.01);
    }

    /** Tasks that run wherever nothing else does give way at once, and no job waits for them. */
    @Test
    void bestEffortTasksTakeWhatJobsLeave() {
        GhostSystem alone = GhostSystem.ghost(PROFILE, 30);
        SimResult jobs = run(alone, 70_000);
        SimResult both = run(alone.withBestEffort(20), 70_000);
        assertThat(both.incidents()).isEmpty();
        double share = both.time().resident() / (20.0 * both.lastNanos());
        double left = 0.95 - 70e3 * GhostSystem.mix("4-10000", GhostSystem.CLOCK_NANOS).meanNanos() / 20e9;
        assertThat(share).as("of %s that jobs leave, less what taking and giving costs", left)
                .isBetween(left - 0.15, left);
        assertThat(both.allSojourns().percentile(50) - jobs.allSojourns().percentile(50)).isBetween(0.0, 15_000.0);
        assertThat(both.jobs().arrived() - both.jobs().finished()).as("under way at the end").isBetween(0L, 20L);
    }

    @Test
    void measuredSharesOfBestEffortFallWithTheLoad() {
        assertThat(MeasuredCurve.shares()).hasSize(52).allMatch(s -> s.part() >= 0 && s.part() < 0.95);
        assertThat(MeasuredCurve.shares()).filteredOn(s -> s.quantumMicros() == 30)
                .extracting(MeasuredCurve.Share::part).startsWith(0.8429, 0.7051, 0.567, 0.425);
    }

    /** The fit begins with what is published, moves its own costs alone, and leaves no row set further off than before. */
    @Test
    void theFitBringsItsRowsNearer() {
        CostProfile off = CostProfiles.load("published");
        List<String> said = new ArrayList<>();
        CostProfile fitted = GhostFit.run(off, true, 1, said::add);
        assertThat(said.getFirst()).startsWith("start: rows are off by ");
        List<Double> errors = said.stream().map(s -> Double.parseDouble(s.replaceAll(".*by | %.*", ""))).toList();
        assertThat(errors).hasSizeGreaterThan(1).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(fitted.nanos("hostAgent.decision")).isBetween(1_000L, 1_450L);
        assertThat(fitted.nanos("hostAgent.unschedule")).isBetween(2_400L, 2_800L);
        assertThat(fitted.constants().get("kernel.contextSwitch")).as("not fitted")
                .isEqualTo(off.constants().get("kernel.contextSwitch"));
    }

    @Test
    void aMixIsNamedByItsJobs() {
        assertThat(GhostSystem.mix("4-10000", 0).meanNanos()).isEqualTo(0.995 * 4_000 + 0.005 * 10_000_000);
        assertThat(GhostSystem.mix("1-100", 0).meanNanos()).isEqualTo(50_500);
        assertThat(GhostSystem.mix("1", 350).meanNanos()).isEqualTo(1_350);
    }

    @Test
    void microBenchmarksAreSumsOfTheProfileOrSimulated() {
        Section micro = new GhostMicro(lab()).run();
        assertThat(micro.figures()).filteredOn(f -> f.kind() == Figure.Kind.COMPUTED).hasSize(7)
                .noneMatch(Figure::isCompared);
        Figure one = micro.figures().get(5);
        Figure ten = micro.figures().get(6);
        double least = PROFILE.nanos("kernel.message") + PROFILE.nanos("hostAgent.decision")
                + PROFILE.nanos("kernel.commit") + PROFILE.nanos("kernel.contextSwitch");
        assertThat(one.value()).isGreaterThan(least);
        assertThat(ten.value()).as("the last of ten waits for the agent").isGreaterThan(
                one.value() + 8 * PROFILE.nanos("hostAgent.decision"));
    }
}
