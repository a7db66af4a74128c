package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WatchedTimeTest {
    @Test
    void whatPassedBetweenNearLooksCounts() {
        WatchedTime time = new WatchedTime(10);
        assertThat(time.at(1_000)).isEqualTo(1_000);
        assertThat(time.at(1_010)).isEqualTo(1_010);
    }

    @Test
    void ofAnAbsenceOneLookCounts() {
        WatchedTime time = new WatchedTime(10);
        time.at(Long.MAX_VALUE - 5);
        assertThat(time.at(Long.MAX_VALUE + 1_000)).as("over the clock's end").isEqualTo(Long.MAX_VALUE + 5);
        assertThat(time.at(Long.MAX_VALUE + 1_003)).isEqualTo(Long.MAX_VALUE + 8);
    }

    @Test
    void aClockWithoutTimeBetweenLooksIsNone() {
        assertThatThrownBy(() -> new WatchedTime(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
