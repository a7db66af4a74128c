package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WatchdogTest {
    private final Watchdog watchdog = new Watchdog(100, 2_000);

    @Test
    void aHeartThatBeatsIsNeverHung() {
        watchdog.restart(0);
        for (int beat = 0; beat < 100; beat++) {
            assertThat(watchdog.isHung(beat, beat * 2_000L)).as("beat %d", beat).isFalse();
        }
    }

    @Test
    void aHeartThatStandsStillIsHungPastTheHardLimit() {
        watchdog.restart(0);
        assertThat(watchdog.isHung(7, 500)).isFalse();
        assertThat(watchdog.isHung(7, 2_500)).isFalse();
        assertThat(watchdog.isHung(7, 2_501)).isTrue();
        assertThat(watchdog.isHung(8, 9_000)).as("it beats again").isFalse();
    }

    @Test
    void aNewAgentHasTheWholeLimitEvenIfItsCountEqualsTheOldOne() {
        watchdog.restart(0);
        watchdog.isHung(3, 10);
        watchdog.restart(10_000);
        assertThat(watchdog.isHung(3, 11_000)).isFalse();
        assertThat(watchdog.isHung(3, 13_000)).isFalse();
        assertThat(watchdog.isHung(3, 13_001)).isTrue();
    }

    @Test
    void waitsThenDecidesLocallyThenFences() {
        assertThat(watchdog.judge(0, 0)).isEqualTo(Watchdog.Verdict.WAIT);
        assertThat(watchdog.judge(100, 2_000)).isEqualTo(Watchdog.Verdict.WAIT);
        assertThat(watchdog.judge(101, 101)).isEqualTo(Watchdog.Verdict.DECIDE_LOCALLY);
        assertThat(watchdog.judge(0, 2_001)).isEqualTo(Watchdog.Verdict.FENCE);
        assertThat(watchdog.judge(5_000, 5_000)).isEqualTo(Watchdog.Verdict.FENCE);
    }

    @Test
    void timeThatWrapsAroundIsNoHang() {
        watchdog.restart(Long.MAX_VALUE - 10);
        assertThat(watchdog.isHung(1, Long.MAX_VALUE - 5)).isFalse();
        assertThat(watchdog.isHung(1, Long.MIN_VALUE + 100)).isFalse();
        assertThat(watchdog.isHung(1, Long.MIN_VALUE + 2_100)).isTrue();
    }

    @Test
    void limitsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> new Watchdog(0, 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Watchdog(11, 10)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("11 ns").hasMessageContaining("10 ns");
        assertThat(new Watchdog(10, 10).hardNanos()).isEqualTo(10);
    }
}
