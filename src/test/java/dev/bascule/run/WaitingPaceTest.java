package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.Pace;
import org.junit.jupiter.api.Test;

/** Frames that wait for room. */
class WaitingPaceTest {
    private long back;
    private long now;
    private final WaitingPace pace = pace(Pace.AS_FAST_AS_POSSIBLE);

    private WaitingPace pace(Pace pace) {
        return new WaitingPace(pace, 8, () -> back, new Drain(() -> now, () -> now));
    }

    @Test
    void noMoreAreOnTheirWayThanFit() {
        assertThat(pace.due(0, 0, 32)).isEqualTo(8);
        assertThat(pace.due(1, 8, 32)).isZero();
        back = 3;
        assertThat(pace.due(2, 8, 32)).isEqualTo(3);
        assertThat(pace.due(2, 8, 2)).isEqualTo(2);
    }

    @Test
    void framesThatNeverComeBackDoNotEndTheReplay() {
        assertThat(pace.due(0, 0, 8)).isEqualTo(8);
        for (; now <= Drain.SILENT_NANOS; now += 10_000_000) {
            assertThat(pace.due(now, 8, 8)).isZero();
        }
        assertThat(pace.due(now, 8, 8)).as("given up").isZero();
        assertThat(pace.due(now, 8, 8)).isEqualTo(8);
        back = 4;
        assertThat(pace.due(now, 16, 8)).isEqualTo(4);
    }

    @Test
    void aSlowerPaceIsKept() {
        WaitingPace slow = pace(Pace.rate(1000));
        assertThat(slow.due(0, 0, 8)).isEqualTo(1);
        assertThat(slow.due(999_999, 1, 8)).isZero();
        assertThat(slow.due(3_000_000, 1, 8)).isEqualTo(3);
    }
}
