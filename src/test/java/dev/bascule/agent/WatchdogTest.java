package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ring.VirtualClock;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    private static final long HARD = 2_000;
    private static final long COLD = HARD * Watchdog.COLD_LIMITS;

    private final VirtualClock clock = new VirtualClock();
    private final Watchdog watchdog = new Watchdog(100, HARD);

    private void start() {
        watchdog.restart(clock.nanoTime());
    }

    private void warmUp() {
        for (int i = 0; i < Watchdog.WARM_DECISIONS; i++) {
            watchdog.decided();
        }
    }

    /** Lets an agent of this heartbeat be silent for a while; whether it is hung then. */
    private boolean isHungAfter(long heartbeat, long nanos) {
        clock.set(clock.nanoTime() + nanos);
        return watchdog.isHung(heartbeat, clock.nanoTime());
    }

    @Test
    void aHeartThatBeatsIsNeverHung() {
        start();
        warmUp();
        for (int beat = 0; beat < 100; beat++) {
            assertThat(isHungAfter(beat, HARD)).as("beat %d", beat).isFalse();
        }
    }

    @Test
    void aWarmHeartThatStandsStillIsHungPastTheHardLimit() {
        start();
        warmUp();
        assertThat(isHungAfter(7, 500)).isFalse();
        assertThat(isHungAfter(7, HARD)).isFalse();
        assertThat(isHungAfter(7, 1)).isTrue();
        assertThat(isHungAfter(8, 9_000)).as("it beats again").isFalse();
    }

    @Test
    void aColdAgentHasPatienceAndIsFoundNevertheless() {
        start();
        assertThat(isHungAfter(1, 10)).isFalse();
        assertThat(isHungAfter(1, COLD)).as("cold").isFalse();
        assertThat(isHungAfter(1, 1)).as("too long even for a cold agent").isTrue();
        assertThat(watchdog.judge(101, COLD)).as("the host helps itself").isEqualTo(Watchdog.Verdict.DECIDE_LOCALLY);
        assertThat(watchdog.judge(101, COLD + 1)).as("an agent that never decides").isEqualTo(Watchdog.Verdict.FENCE);
    }

    @Test
    void fewDecisionsDoNotWarmAnAgent() {
        start();
        for (int i = 0; i < Watchdog.WARM_DECISIONS - 1; i++) {
            watchdog.decided();
        }
        assertThat(watchdog.isWarm()).isFalse();
        assertThat(watchdog.limitNanos()).isEqualTo(COLD);
        watchdog.decided();
        assertThat(watchdog.isWarm()).isTrue();
        assertThat(watchdog.limitNanos()).isEqualTo(HARD);
        watchdog.decided();
        assertThat(watchdog.isWarm()).isTrue();
    }

    @Test
    void patienceDoublesWithEveryColdEndIsBoundedAndStartsAnewAfterAWarmAgent() {
        start();
        for (long patience : new long[] { COLD, 2 * COLD, 4 * COLD, 8 * COLD, 8 * COLD, 8 * COLD }) {
            assertThat(watchdog.limitNanos()).isEqualTo(patience);
            start();
        }
        warmUp();
        start();
        assertThat(watchdog.limitNanos()).as("the last one lasted").isEqualTo(COLD);
    }

    @Test
    void anAgentThatIsNeverReadyIsLateAndTheNextHasTwiceTheTime() {
        clock.set(5_000);
        start();
        clock.set(15_000);
        assertThat(watchdog.isLate(10_000, clock.nanoTime())).isFalse();
        clock.set(15_001);
        assertThat(watchdog.isLate(10_000, clock.nanoTime())).isTrue();
        start();
        clock.set(35_001);
        assertThat(watchdog.isLate(10_000, clock.nanoTime())).isFalse();
        clock.set(35_003);
        assertThat(watchdog.isLate(10_000, clock.nanoTime())).isTrue();
        assertThat(watchdog.isLate(Long.MAX_VALUE, Long.MAX_VALUE)).as("who is never late").isFalse();
    }

    @Test
    void aNewAgentHasTheWholeLimitEvenIfItsCountEqualsTheOldOne() {
        start();
        warmUp();
        isHungAfter(3, 10);
        start();
        warmUp();
        assertThat(isHungAfter(3, 1_000)).isFalse();
        assertThat(isHungAfter(3, HARD)).isFalse();
        assertThat(isHungAfter(3, 1)).isTrue();
    }

    @Test
    void waitsThenDecidesLocallyThenFences() {
        start();
        warmUp();
        assertThat(watchdog.judge(0, 0)).isEqualTo(Watchdog.Verdict.WAIT);
        assertThat(watchdog.judge(100, 2_000)).isEqualTo(Watchdog.Verdict.WAIT);
        assertThat(watchdog.judge(101, 101)).isEqualTo(Watchdog.Verdict.DECIDE_LOCALLY);
        assertThat(watchdog.judge(0, 2_001)).isEqualTo(Watchdog.Verdict.FENCE);
        assertThat(watchdog.judge(5_000, 5_000)).isEqualTo(Watchdog.Verdict.FENCE);
    }

    @Test
    void timeThatWrapsAroundIsNoHang() {
        clock.set(Long.MAX_VALUE - 10);
        start();
        warmUp();
        assertThat(isHungAfter(1, 5)).isFalse();
        assertThat(isHungAfter(1, 106)).isFalse();
        assertThat(isHungAfter(1, HARD)).isTrue();
    }

    @Test
    void limitsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> new Watchdog(0, 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Watchdog(11, 10)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("11 ns").hasMessageContaining("10 ns");
        assertThatThrownBy(() -> new Watchdog(5, 10, 9)).hasMessageContaining("cold agent");
        assertThat(new Watchdog(10, 10).hardNanos()).isEqualTo(10);
        assertThat(new Watchdog(5, 10, 70).limitNanos()).as("cold").isEqualTo(70);
    }
}
