package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PatienceTest {
    private long now = Long.MAX_VALUE - 150;
    private long sign;
    private final Patience patience = new Patience(100, () -> now, () -> sign);

    private boolean isOverAfter(long nanos) {
        now += nanos;
        return patience.isOver();
    }

    @Test
    void silenceThatWasWatchedIsOverAtItsLimit() {
        for (int look = 0; look < 10; look++) {
            assertThat(isOverAfter(10)).isFalse();
        }
        assertThat(isOverAfter(1)).isTrue();
    }

    @Test
    void absenceIsNotHeldAgainstTheOther() {
        assertThat(isOverAfter(1_000_000)).isFalse();
        assertThat(isOverAfter(25)).isFalse();
        assertThat(isOverAfter(25)).isFalse();
        assertThat(isOverAfter(25)).isFalse();
        assertThat(isOverAfter(1)).as("four looks saw nothing").isTrue();
    }

    @Test
    void aSignOfLifeBeginsTheLimitAnew() {
        isOverAfter(25);
        isOverAfter(25);
        isOverAfter(25);
        sign++;
        assertThat(isOverAfter(25)).isFalse();
        assertThat(isOverAfter(1)).as("looked at when the time is over").isFalse();
        patience.restart();
        for (int look = 0; look < 4; look++) {
            assertThat(isOverAfter(25)).isFalse();
        }
        assertThat(isOverAfter(1)).isTrue();
    }

    /** A machine that stood still for an hour in the middle: the process had none of that time. */
    @Test
    void aProcessIsWaitedForAsLongAsThisOneWasThere() throws Exception {
        long[] skipped = new long[1];
        Patience hour = new Patience(60_000_000_000L, () -> System.nanoTime() + skipped[0], () -> 0);
        Process child = new ProcessBuilder("sleep", "0.3").start();
        skipped[0] = 3_600_000_000_000L;
        assertThat(hour.awaitEnd(child)).isTrue();
        Process longer = new ProcessBuilder("sleep", "600").start();
        try {
            assertThat(new Patience(20_000_000).awaitEnd(longer)).isFalse();
        } finally {
            longer.destroyForcibly();
        }
    }

    @Test
    void whoSleepsLooksAgainWhileThatCountsAsWatched() {
        assertThat(patience.left()).isEqualTo(25);
        isOverAfter(25);
        isOverAfter(25);
        isOverAfter(25);
        isOverAfter(20);
        assertThat(patience.left()).isEqualTo(5);
        isOverAfter(20);
        assertThat(patience.left()).as("a sleep, not an end").isEqualTo(1);
    }

    @Test
    void noLimitIsNeverOver() {
        Patience endless = new Patience(0, () -> now, () -> sign);
        now += 1_000_000;
        assertThat(endless.isOver()).isFalse();
        assertThat(endless.left()).isZero();
    }
}
