package dev.bascule.model.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Times of every resolution, exactly. */
class TicksTest {
    @Test
    void resolutionsThatDoublesRoundAreExact() {
        assertThat(Ticks.MICROS.withResolution(7).nanos(17_000_000_001_234_567L)).isEqualTo(1_700_000_000_123_456_700L);
        Ticks twos = Ticks.MICROS.withResolution(0x80 | 30);
        assertThat(twos.nanos((1_700_000_000L << 30) + 19)).isEqualTo(1_700_000_000_000_000_017L);
        Ticks picos = Ticks.MICROS.withResolution(12).withOffset(1_700_000_000);
        assertThat(picos.nanos(250_001_000_999L)).as("rounded down").isEqualTo(1_700_000_000_250_001_000L);
        assertThat(Ticks.MICROS.withOffset(-1).nanos(1)).isEqualTo(-999_999_000L);
        assertThat(Ticks.MICROS.withResolution(127).nanos(-1)).isZero();
    }

    @Test
    void anyResolutionAgreesWithDecimals() {
        long seed = 11;
        Random random = new Random(seed);
        for (int i = 0; i < 5000; i++) {
            int code = random.nextInt(256);
            long count = random.nextLong() >>> random.nextInt(64);
            long offset = random.nextInt();
            BigDecimal base = BigDecimal.valueOf((code & 0x80) == 0 ? 10 : 2);
            BigDecimal whole = new BigDecimal(Long.toUnsignedString(count)).scaleByPowerOfTen(9)
                    .divide(base.pow(code & 0x7f), 200,
                            RoundingMode.DOWN)
                    .setScale(0, RoundingMode.DOWN).add(BigDecimal.valueOf(offset).scaleByPowerOfTen(9));
            Ticks ticks = Ticks.MICROS.withResolution(code).withOffset(offset);
            if (whole.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
                assertThatThrownBy(() -> ticks.nanos(count)).isInstanceOf(ArithmeticException.class);
            } else {
                assertThat(ticks.nanos(count)).as("seed %d, round %d", seed, i).isEqualTo(whole.longValueExact());
            }
        }
    }
}
