package dev.bascule.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.NearestWord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({ "0, 0", "0.0, 0", "750 ns, 750", "750ns, 750", "1.6 us, 1600", "20 ms, 20000000", "1 s, 1000000000",
            "1_000 ns, 1000", "+3 ns, 3", "-3 ns, -3" })
    void durationsBecomeNanoseconds(String text, long nanos) throws Exception {
        assertThat(Quantity.parse(text, Quantity.DURATION_UNITS)).isEqualTo(nanos);
    }

    @ParameterizedTest
    @CsvSource({ "64 B, 64", "64 KiB, 65536", "4 MiB, 4194304", "1.5 GiB, 1610612736" })
    void sizesBecomeBytes(String text, long bytes) throws Exception {
        assertThat(Quantity.parse(text, Quantity.BYTE_UNITS)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({ "1.5 ns, whole number", "9999999999999 s, 63 bits", "7, no unit", "ns, expected a number",
            "1 2 ns, expected a number", "5 NS, did you mean ns?", "1e3 ns, expected a number" })
    void whatIsNoQuantityIsRefusedWithAReason(String text, String reason) {
        assertThatThrownBy(() -> Quantity.parse(text, Quantity.DURATION_UNITS)).isInstanceOf(Quantity.Malformed.class)
                .hasMessageContaining(reason);
    }

    @Test
    void printingUsesTheLargestUnitThatKeepsTheNumberWhole() {
        assertThat(Quantity.print(0, Quantity.DURATION_UNITS)).isEqualTo("0 ns");
        assertThat(Quantity.print(1600, Quantity.DURATION_UNITS)).isEqualTo("1600 ns");
        assertThat(Quantity.print(20_000_000, Quantity.DURATION_UNITS)).isEqualTo("20 ms");
        assertThat(Quantity.print(1L << 30, Quantity.BYTE_UNITS)).isEqualTo("1 GiB");
    }

    @ParameterizedTest
    @CsvSource({ "abc, abc, 0", "abc, acb, 1", "abc, ab, 1", "chanel, channel, 1", "'', abc, 3", "kitten, sitting, 3" })
    void editDistanceCountsOneStepPerMistake(String a, String b, int distance) {
        assertThat(NearestWord.distance(a, b)).isEqualTo(distance);
        assertThat(NearestWord.distance(b, a)).isEqualTo(distance);
    }
}
