package dev.bascule.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** How the benchmark program turns windows into verdicts; nothing is timed here. */
class JudgementTest {
    private static final Side NOTHING = (start, count) -> 0;
    private static final Row ROW = new Row("row", "work", "java", "c", 1.25, false, "test");
    private static final List<Variant> VARIANTS = List.of(new Variant("java", "tight", NOTHING, NOTHING),
            new Variant("java", "pause", NOTHING, NOTHING), new Variant("c", "tight", NOTHING, NOTHING),
            new Variant("c", "pause", NOTHING, NOTHING));

    @Test
    void bestPaceOfEitherGroupIsComparedWindowByWindow() {
        List<PairRunner.Round> rounds = rounds(20, 100, new double[] { 30, 12, 10, 20 });
        Comparison found = only(Comparison.of(ROW, VARIANTS, rounds));
        assertThat(found.distance()).isEqualTo(Distance.NEAR);
        assertThat(found.leftPace()).isEqualTo("pause");
        assertThat(found.rightPace()).isEqualTo("tight");
        assertThat(found.ratio()).isEqualTo(1.2);
        assertThat(found.windows()).isEqualTo(20);
    }

    @Test
    void javaIsComparedWithTheBestCOfTheRunHoweverItIsWritten() {
        List<Variant> variants = new ArrayList<>(VARIANTS);
        variants.add(new Variant("c loop", "32 nops", NOTHING, NOTHING));
        variants.add(new Variant("critical", "tight", NOTHING, NOTHING));
        Comparison found = only(Comparison.of(ROW, variants,
                rounds(20, 100, new double[] { 30, 12, 39, 40, 8, 1 })));
        assertThat(found.rightNs()).isEqualTo(8);
        assertThat(found.rightPace()).isEqualTo("c loop, 32 nops");
        assertThat(found.ratio()).isEqualTo(1.5);
    }

    @Test
    void ratioIsOfNeighboursNotOfMedians() {
        List<PairRunner.Round> rounds = new ArrayList<>();
        for (int i = 1; i <= 21; i++) {
            rounds.add(new PairRunner.Round(new double[] { 2.0 * i, 99, i, 99 }, 100, 100));
        }
        assertThat(only(Comparison.of(ROW, VARIANTS, rounds)).ratio()).isEqualTo(2.0);
    }

    @Test
    void distancesAreNeverMixed() {
        List<PairRunner.Round> rounds = new ArrayList<>(rounds(10, 100, new double[] { 1, 9, 1, 9 }));
        rounds.addAll(rounds(10, 500, new double[] { 8, 9, 4, 9 }));
        rounds.add(new PairRunner.Round(new double[] { 100, 100, 1, 1 }, 100, 500));
        List<Comparison> found = Comparison.of(ROW, VARIANTS, rounds);
        assertThat(found).extracting(Comparison::distance).containsExactly(Distance.NEAR, Distance.FAR);
        assertThat(found).extracting(Comparison::ratio).containsExactly(1.0, 2.0);
        assertThat(found).extracting(Comparison::windows).containsExactly(10, 10);
    }

    @Test
    void tooFewWindowsSayNothing() {
        assertThat(Comparison.of(ROW, VARIANTS, rounds(7, 100, new double[] { 1, 1, 1, 1 }))).isEmpty();
    }

    @Test
    void windowsInWhichASideHadNoCoreAreLeftOutAndCounted() {
        double none = Double.NaN;
        List<PairRunner.Round> rounds = new ArrayList<>(rounds(9, 100, new double[] { 2, none, none, 1 }));
        rounds.addAll(rounds(20, 100, new double[] { none, none, none, 1 }));
        rounds.addAll(rounds(3, 100, new double[] { 2, 1, 0.5, none }));
        rounds.addAll(rounds(9, none, new double[] { 9, 9, 9, 9 }));
        Comparison found = only(Comparison.of(ROW, VARIANTS, rounds));
        assertThat(found.leftPace()).as("three windows of another pace say nothing").isEqualTo("tight");
        assertThat(found.rightPace()).isEqualTo("pause");
        assertThat(found.ratio()).isEqualTo(2.0);
        assertThat(found.windows()).isEqualTo(9);
        assertThat(found.leftOut()).isEqualTo(20 + 3);
        List<Result> results = new ArrayList<>();
        PairBenchmark.judge(ROW, List.of(found), "", results);
        assertThat(results.get(0).note()).isEqualTo("tight / pause; 23 windows left out: a thread had no core");
        assertThat(Comparison.of(ROW, VARIANTS, rounds(50, 100, new double[] { none, none, 1, 1 }))).isEmpty();
    }

    @Test
    void aThreadThatHasNoCoreIsSeen() throws Exception {
        assertThat(RunDelays.delay("5000 700 3\n")).isEqualTo(700);
        assertThat(RunDelays.delay("")).isZero();
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/thread-self/schedstat")), "this kernel does not count");
        int cpu = Cpus.allowed().get(0);
        try (RunDelays delays = new RunDelays()) {
            AtomicLong waited = new AtomicLong();
            Thread crowded = Thread.ofPlatform().start(() -> {
                Cpus.pin(cpu);
                delays.join();
                Thread other = Thread.ofPlatform().daemon().start(() -> {
                    Cpus.pin(cpu);
                    while (!Thread.interrupted()) {
                        Thread.onSpinWait();
                    }
                });
                long before = delays.nanos();
                while (waited.get() == 0) {
                    waited.set(delays.nanos() - before);
                }
                other.interrupt();
            });
            crowded.join();
            assertThat(waited).hasPositiveValue();
        }
    }

    @Test
    void withoutCompilerThereIsAFigureButNoRatio() {
        List<Variant> javaOnly = VARIANTS.subList(0, 2);
        Comparison found = only(Comparison.of(ROW, javaOnly, rounds(20, 100, new double[] { 3, 4 })));
        assertThat(found.leftNs()).isEqualTo(3);
        assertThat(found.ratio()).isNaN();
        assertThat(Comparison.parse(found.toLine())).isEqualTo(found);
    }

    @Test
    void tooFewWindowsOfCAreNotCalledAMissingCompiler() {
        double none = Double.NaN;
        List<PairRunner.Round> rounds = new ArrayList<>(rounds(7, 100, new double[] { 2, 3, 1, none }));
        rounds.addAll(rounds(3, 100, new double[] { 2, none, none, 1 }));
        assertThat(Comparison.isEnough(ROW, VARIANTS, rounds)).isFalse();
        assertThat(note(only(Comparison.of(ROW, VARIANTS, rounds))))
                .startsWith("too few windows in which c had its cores: ratio not measured");
        List<Variant> javaOnly = VARIANTS.subList(0, 2);
        List<PairRunner.Round> alone = rounds(8, 100, new double[] { 2, 3 });
        assertThat(note(only(Comparison.of(ROW, javaOnly, alone)))).isEqualTo("no C compiler: ratio not measured");
        assertThat(Comparison.isEnough(ROW, javaOnly, alone)).isTrue();
    }

    @Test
    void windowsAreEnoughWhenARatioCanBeSaid() {
        List<PairRunner.Round> rounds = new ArrayList<>(rounds(7, 100, new double[] { 2, 3, 1, 1 }));
        rounds.addAll(rounds(7, 500, new double[] { 2, 3, 1, 1 }));
        assertThat(Comparison.isEnough(ROW, VARIANTS, rounds)).as("seven near and seven far").isFalse();
        rounds.addAll(rounds(1, 500, new double[] { 2, 3, 1, 1 }));
        assertThat(Comparison.isEnough(ROW, VARIANTS, rounds)).isTrue();
        Row informs = new Row("row", "work", "java", "", Double.NaN, false, "test");
        assertThat(Comparison.isEnough(informs, VARIANTS, rounds(8, 100, new double[] { 1, 1, 1, 1 }))).isTrue();
    }

    private static String note(Comparison found) {
        List<Result> results = new ArrayList<>();
        PairBenchmark.judge(ROW, List.of(Comparison.parse(found.toLine())), "", results);
        assertThat(results).hasSize(1);
        assertThat(results.get(0).verdict()).isEqualTo("not measured");
        return results.get(0).note();
    }

    @Test
    void lineForTheParentComesBackTheSame() {
        Comparison sent = new Comparison("ring-1", Distance.FAR, 12, 3, 1.5, "tight", 2.5, "8 nops", 0.6);
        assertThat(Comparison.isLine(sent.toLine())).isTrue();
        assertThat(Comparison.parse(sent.toLine())).isEqualTo(sent);
        assertThat(Comparison.isLine("some warning")).isFalse();
    }

    @Test
    void limitHoldsForTheMedianOrForEveryProcess() {
        assertThat(result(1.2, 1.3, 1.25, false).verdict()).isEqualTo("pass");
        assertThat(result(1.2, 1.3, 1.25, true).verdict()).isEqualTo("over");
        assertThat(result(1.2, 1.25, 1.25, true).verdict()).isEqualTo("pass");
        assertThat(result(1.26, 1.26, 1.25, false).verdict()).isEqualTo("over");
        assertThat(result(9, 9, Double.NaN, false).passes()).as("informs only").isTrue();
        assertThat(result(Double.NaN, Double.NaN, 1.25, false).verdict()).isEqualTo("not measured");
        assertThat(Result.notMeasured("row", "ns", 1.25, "why").passes()).isFalse();
    }

    @Test
    void goalIsJudgedApartFromTheLimit() {
        Result found = result(1.2, 1.3, 1.25, false);
        assertThat(found.goalVerdict()).as("no goal").isEqualTo("-");
        assertThat(found.withGoal(1.2).goalVerdict()).isEqualTo("met");
        Result missed = found.withGoal(1.1);
        assertThat(missed.goalVerdict()).isEqualTo("missed");
        assertThat(missed.fails()).as("a goal missed fails nothing").isFalse();
        assertThat(missed.verdict()).isEqualTo("pass");
        assertThat(missed.toJson()).contains("\"goal\":1.100", "\"goalVerdict\":\"missed\"");
        assertThat(result(Double.NaN, Double.NaN, 1.25, false).withGoal(1.1).goalVerdict()).isEqualTo("-");
        assertThat(new Goal(3, 2).at(Distance.FAR)).isEqualTo(2);
    }

    /** A goal at or above its limit would say nothing. */
    @Test
    void goalsAreStricterThanLimitsSomewhere() {
        assertThat(Rows.ROWS).filteredOn(row -> !Double.isNaN(row.goal().near()) && !Double.isNaN(row.limit()))
                .hasSizeGreaterThan(10).allSatisfy(row -> assertThat(
                        Math.min(row.goal().near(), row.goal().far())).as(row.name()).isLessThan(row.limit()));
    }

    @Test
    void jsonHasNullsForWhatIsNotMeasured() {
        String json = Result.notMeasured("row", "ns", 1.25, "no \"cc\"\nhere").toJson();
        assertThat(json).contains("\"value\":null", "\"limit\":1.250", "\"verdict\":\"not measured\"",
                "\"note\":\"no \\\"cc\\\" here\"");
    }

    @Test
    void medianOfEvenAndOddSamples() {
        assertThat(Stats.median(List.of(3.0, 1.0, 2.0))).isEqualTo(2.0);
        assertThat(Stats.median(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(2.5);
        assertThat(Stats.median(List.of())).isNaN();
    }

    @Test
    void everyRowHasAWorkloadAndANameOfItsOwn() {
        assertThat(Rows.ROWS).extracting(Row::name).doesNotHaveDuplicates();
        assertThat(Rows.ROWS).allSatisfy(row -> assertThat(Rows.workload(row.workload())).isNotNull());
    }

    @Test
    void everyRowComparesGroupsThatItsWorkloadHas() {
        for (Row row : Rows.ROWS) {
            Workload workload = Rows.workload(row.workload());
            if (!workload.jvmOptions().isEmpty()) {
                continue; // the peers cannot be made in this JVM
            }
            var groups = workload.variants(Twins.NONE).stream().map(Variant::group)
                    .collect(Collectors.toSet());
            if (groups.isEmpty()) {
                continue; // the card at the other end is one of the C twins
            }
            assertThat(groups).as(row.name()).contains(row.left());
            // packets: as above, for the packet echo alone
            if (!row.right().isEmpty() && !row.right().startsWith("c") && !row.right().equals("packets")) {
                assertThat(groups).as(row.name()).contains(row.right());
            }
        }
    }

    @Test
    void aProcessThatDiedFailsItsRowAlthoughOthersLived() {
        Comparison lived = new Comparison("row", Distance.FAR, 12, 0, 1.0, "tight", 1.0, "tight", 1.0);
        for (List<Comparison> found : List.of(List.of(lived), List.<Comparison>of())) {
            List<Result> results = new ArrayList<>();
            PairBenchmark.judge(ROW, found, "status 1: data differs between the sides", results);
            assertThat(results).anySatisfy(result -> {
                assertThat(result.fails()).isTrue();
                assertThat(result.verdict()).isEqualTo("failed");
                assertThat(result.note()).contains("data differs between the sides");
                assertThat(result.toJson()).contains("\"verdict\":\"failed\"");
            });
            results.clear();
            PairBenchmark.judge(ROW, found, "", results);
            assertThat(results).noneMatch(Result::fails);
        }
    }

    private static List<PairRunner.Round> rounds(int count, double probe, double[] ns) {
        List<PairRunner.Round> rounds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rounds.add(new PairRunner.Round(ns, probe, probe));
        }
        return rounds;
    }

    private static Comparison only(List<Comparison> found) {
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static Result result(double value, double worst, double limit, boolean everyProcess) {
        return new Result("row", "ns", "near", 1, 1, "c", value, worst, limit, everyProcess, 1, 1, "");
    }
}
