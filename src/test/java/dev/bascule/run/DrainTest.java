package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When the last frames are given up. */
class DrainTest {
    private static final long LOOK_NANOS = 10_000_000;

    private long wall;
    private long card;
    private long back;
    private final AtomicInteger rounds = new AtomicInteger();

    /** Rounds of a caller that sent one frame, each of which lets time pass; the frame comes in the one of that number. */
    private int rounds(long wallNanos, long cardNanos, int comesIn) {
        new Drain(() -> wall, () -> card).until(() -> 1, () -> back, () -> {
            wall += wallNanos;
            card += cardNanos;
            back = rounds.incrementAndGet() == comesIn ? 1 : 0;
            return 0;
        });
        return rounds.get();
    }

    @Test
    void aSimulatedCardThatStandsStillIsWaitedFor() {
        assertThat(rounds(LOOK_NANOS, 0, 2_000)).isEqualTo(2_000);
        assertThat(back).isOne();
    }

    @Test
    void anAbsenceOfTheCallerIsNoSilenceOfTheCard() {
        assertThat(rounds(2 * Drain.SILENT_NANOS, 2 * Drain.SILENT_NANOS, 3)).isEqualTo(3);
        assertThat(back).isOne();
    }

    @Test
    void aFrameThatNeverComesIsGivenUp() {
        assertThat(rounds(LOOK_NANOS, LOOK_NANOS, 0))
                .isEqualTo((int) (Drain.SILENT_NANOS / LOOK_NANOS) + 1);
        assertThat(back).isZero();
    }
}
