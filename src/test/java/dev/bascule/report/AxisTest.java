package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AxisTest {
    @Test
    void aLinearAxisHasRoundStepsFromZero() {
        assertThat(Axis.linear(137, 6).ticks()).containsExactly(0.0, 50.0, 100.0, 150.0);
        assertThat(Axis.linear(60, 6).ticks()).containsExactly(0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0);
        assertThat(Axis.linear(150, 6).place(75)).isCloseTo(0.5, within(1e-9));
    }

    @ParameterizedTest
    @ValueSource(doubles = { 1e-6, 0.3, 1, 7, 99, 100, 101, 12345, 1e12 })
    void aLinearAxisReachesItsMaximumWithFewTicks(double max) {
        Axis axis = Axis.linear(max, 6);
        assertThat(axis.ticks().getLast()).isGreaterThanOrEqualTo(max * (1 - 1e-9));
        assertThat(axis.ticks()).hasSizeBetween(3, 9);
        assertThat(axis.place(max)).isBetween(0.4, 1.0);
    }

    @Test
    void aLogAxisCoversWholeDecades() {
        assertThat(Axis.log(3, 4_000).ticks()).containsExactly(1.0, 10.0, 100.0, 1_000.0, 10_000.0);
        assertThat(Axis.log(10, 1_000).place(100)).isCloseTo(0.5, within(1e-9));
        assertThat(Axis.log(3, 40).ticks()).containsExactly(1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0);
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "-1, 5", "5, 5", "1, 1", "NaN, NaN", "1, Infinity" })
    void aLogAxisSurvivesAnyRange(double min, double max) {
        Axis axis = Axis.log(min, max);
        assertThat(axis.ticks()).hasSizeGreaterThanOrEqualTo(2).isSorted().allMatch(t -> t > 0 && t < 1e9);
    }

    @Test
    void valuesOutsideStayAtTheEnds() {
        assertThat(Axis.linear(10, 5).place(99)).isEqualTo(1);
        assertThat(Axis.log(1, 10).place(0.001)).isEqualTo(0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "0|0", "0.1|0.1", "0.05|0.05", "2.5|2.5", "10|10", "1000|1,000",
            "1000000|1,000,000", "100|100", "12.5|12.5" })
    void labelsHaveNoNeedlessDigits(double value, String label) {
        assertThat(Axis.label(value)).isEqualTo(label);
    }
}
