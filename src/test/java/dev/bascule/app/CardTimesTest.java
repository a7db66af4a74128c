package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CardTimesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long TODAY = 1_700_000_000L * SECOND;

    private final CardTimes times = new CardTimes(5, TODAY);

    @Test
    void driftMakesNoJump() {
        times.compare(5 + 1000 * SECOND, TODAY + 1000 * SECOND + SECOND / 2);
        assertThat(times.machineNanos(105)).isEqualTo(TODAY + 100);
    }

    @ParameterizedTest
    @ValueSource(longs = { 20 * 3600 * SECOND, TODAY, 2 * SECOND, -2 * SECOND })
    void aStepOfTheCardsClockIsFollowed(long step) {
        times.compare(5 + SECOND + step, TODAY + SECOND);
        assertThat(times.machineNanos(5 + 2 * SECOND + step)).isEqualTo(TODAY + 2 * SECOND);
    }
}
