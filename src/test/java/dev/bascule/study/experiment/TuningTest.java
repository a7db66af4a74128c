package dev.bascule.study.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.registry.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for a figure's smallest value, on figures whose smallest is known. */
class TuningTest {
    private final List<String> said = new ArrayList<>();

    private Tuning tuning(List<Tuning.Axis> axes, Tuning.Trial trial, boolean isParallel) {
        return new Tuning(axes, trial, isParallel, () -> true, said::add);
    }

    private static Tuning.Axis axis(String key, String text) {
        return Tuning.Axis.of(key, text);
    }

    /** Noise that all candidates have in a run, and of each its own. */
    private static double noise(int seed, int run, Map<String, String> values) {
        return 100 * new SplittableRandom(seed * 7919L + run).nextGaussian()
                + new SplittableRandom(seed * 7919L + run + 31L * values.hashCode()).nextGaussian();
    }

    @Test
    void aPlantedOptimumIsFoundWithTwentySeeds() {
        List<Double> found = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int seed = i;
            double best = 1e3 * Math.pow(300, new SplittableRandom(seed).nextDouble(0.05, 0.95)); // ns
            Tuning.Candidate candidate = tuning(List.of(axis("quantum", "1us..300us")),
                    (values, run) -> noise(seed, run, values)
                            + 20 * Math.abs(Math.log(Durations.parseNanos(values.get("quantum")) / best)),
                    seed % 2 == 0).search();
            found.add(Durations.parseNanos(candidate.values().get("quantum")) / best);
        }
        assertThat(found.stream().filter(ratio -> ratio > 0.8 && ratio < 1.25)).as("found by planted: %s", found)
                .hasSizeGreaterThanOrEqualTo(19);
    }

    @Test
    void twoKeysAndAWordAreFoundTogether() {
        Tuning tuning = tuning(
                List.of(axis("policy", "fifo,cfs"), axis("staged", "1..8"), axis("policy.weight", "0.5,1,2")),
                (values, run) -> noise(1, run, values) + (values.get("policy").equals("cfs") ? 0 : 30)
                        + 5 * Math.abs(Integer.parseInt(values.get("staged")) - 6)
                        + 5 * Math.abs(Double.parseDouble(values.get("policy.weight")) - 2),
                false);
        assertThat(tuning.search().values())
                .isEqualTo(Map.of("policy", "cfs", "staged", "6", "policy.weight", "2"));
        assertThat(tuning.tried()).hasSize(2 * 8 * 3);
        assertThat(tuning.tried().stream().filter(one -> one.figures().size() == 4).count())
                .as("left as soon as they could").isGreaterThan(30);
    }

    @Test
    void aCandidateWithoutAFigureLeavesAndOneOfSomeIsNeeded() {
        Tuning.Candidate best = tuning(List.of(axis("quantum", "1,2,3")),
                (values, run) -> values.get("quantum").equals("1") ? Double.NaN : run + values.get("quantum").length(),
                true).search();
        assertThat(best.values().get("quantum")).isNotEqualTo("1");
        assertThatThrownBy(tuning(List.of(axis("quantum", "1,2")), (values, run) -> Double.NaN, true)::search)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("run 0");
    }

    @Test
    void withoutTimeThereIsOneRunOfEach() {
        Tuning tuning = new Tuning(List.of(axis("quantum", "1us..9us")), (values, run) -> 1, false, () -> false,
                said::add);
        tuning.search();
        assertThat(tuning.tried()).hasSize(9).allMatch(one -> one.figures().size() == 1);
    }

    @ParameterizedTest
    @CsvSource({ "1us..100us, 0, 1us", "1us..100us, 0.5, 10us", "1us..100us, 1, 100us", "500ns..2ms, 0.5, 31.6us",
            "1..8, 0.5, 5", "0.0..1, 0.25, 0.25", "0..1, 0.25, 0", "0..10, 0.5, 5", "0.5..1.5, 0.5, 1",
            "1s..2s, 0.5, 1.5s" })
    void aRangeHasTimesOrNumbers(String text, double part, String value) {
        assertThat(Tuning.Axis.of("key", text).range().at(part)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = { "5us..", "..5us", "5us..1us", "5us..5us", "1..5us", "a..b", "-1..5", "1..1e30", "1...5" })
    void whatIsNoRangeIsToldTheForm(String text) {
        assertThatThrownBy(() -> Tuning.Axis.of("key", text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("LOW..HIGH");
    }

    @Test
    void aPathIsNoRange() {
        assertThat(Tuning.Axis.isOne("trace:../jobs.csv")).isFalse();
        assertThat(Tuning.Axis.isOne("5us..")).isTrue();
        assertThat(Tuning.Axis.isOne("fifo,cfs")).isTrue();
    }

    @Test
    void tooManyToBeginWithAreRefused() {
        assertThatThrownBy(() -> tuning(List.of(axis("a", "1us..1ms"), axis("b", "1us..1ms")), (v, r) -> 0, true))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("81 combinations");
    }
}
