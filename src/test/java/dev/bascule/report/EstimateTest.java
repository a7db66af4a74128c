package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EstimateTest {
    /** Values of a printed table (NIST/SEMATECH e-Handbook, section 1.3.6.7.2). */
    @Test
    void studentsTIsThatOfTables() {
        assertThat(Estimate.student(1)).isCloseTo(12.706, within(0.001));
        assertThat(Estimate.student(4)).isCloseTo(2.776, within(0.001));
        assertThat(Estimate.student(31)).isCloseTo(2.040, within(0.001));
        assertThat(Estimate.student(60)).isCloseTo(2.000, within(0.001));
        assertThat(Estimate.student(100)).isCloseTo(1.984, within(0.001));
    }

    @Test
    void aMeanHasTheIntervalOfItsRepeats() {
        Estimate five = Estimate.of(List.of(10.0, 11.0, 12.0, 13.0, 14.0));
        assertThat(five.mean()).isEqualTo(12);
        assertThat(five.half()).isCloseTo(2.776 * Math.sqrt(2.5 / 5), within(1e-9));
        assertThat(five.excludes(10.1)).isFalse();
        assertThat(five.excludes(9.9)).isTrue();
        assertThat(five.text()).isEqualTo("12.0 \u00b1 2.0");
        assertThat(five.times(-1000).text()).isEqualTo("-12,000 \u00b1 1,963");
    }

    @Test
    void oneRepeatHasNoIntervalAndNoneHasNoMean() {
        Estimate one = Estimate.of(List.of(3.0, Double.NaN));
        assertThat(one.text()).isEqualTo("3.00");
        assertThat(one.repeats()).isEqualTo(1);
        assertThat(one.excludes(100)).isFalse();
        assertThat(one.json().toString()).isEqualTo("{\"mean\":3.0,\"low95\":null,\"high95\":null,\"repeats\":1}");
        assertThat(Estimate.of(List.of()).text()).isEqualTo(Numbers.DASH);
    }

    /** Not a formula: draws, and counts how often the interval holds what was drawn from. */
    @Test
    void aboutNinetyFiveOfAHundredIntervalsHoldTheMean() {
        Random random = new Random(18);
        int held = 0;
        for (int i = 0; i < 4_000; i++) {
            List<Double> draws = new ArrayList<>();
            for (int j = 0; j < 5; j++) {
                draws.add(7 + random.nextGaussian());
            }
            held += Estimate.of(draws).excludes(7) ? 0 : 1;
        }
        assertThat(held / 4_000.0).isBetween(0.94, 0.96);
    }

    @Test
    void whatPairsHaveInCommonDoesNotBlurTheirDifference() {
        List<Double> first = List.of(100.0, 200.0, 300.0, 400.0);
        List<Double> second = List.of(101.0, 201.5, 301.0, 401.5);
        assertThat(Estimate.ofPairs(first, second).excludes(0)).isTrue();
        assertThat(Estimate.of(second).excludes(Estimate.of(first).mean())).isFalse();
        assertThatThrownBy(() -> Estimate.ofPairs(first, List.of(1.0))).hasMessageContaining("4 and 1 figures");
    }
}
