package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {
    @ParameterizedTest
    @CsvSource({ "256, 256", "4096, 4K", "1536, 1536", "16777216, 16M", "1099511627776, 1T",
            "1125899906842624, 1024T" })
    void sizesAreExact(long bytes, String text) {
        assertThat(Numbers.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "0 | 0", "0.0004 | 0.000", "0.9994 | 0.999", "0.9996 | 1.00", "9.994 | 9.99",
            "9.996 | 10.0", "99.96 | 100", "1234567 | 1,234,567", "-12.34 | -12.3" })
    void threeDigitsAreSignificant(double value, String text) {
        assertThat(Numbers.digits(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({ "0.100, 0.1", "2.000, 2", "100, 100", "10.5, 10.5" })
    void zerosAtTheEndOfAFractionGo(String number, String trimmed) {
        assertThat(Numbers.trimmed(number)).isEqualTo(trimmed);
    }
}
