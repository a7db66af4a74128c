package dev.bascule.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WaitingTest {
    @Test
    void virtualClockMovesOnlyWhenTold() {
        VirtualClock clock = new VirtualClock(100);
        assertThat(clock.nanoTime()).isEqualTo(100);
        assertThat(clock.advance(5)).isEqualTo(105);
        clock.set(1_000);
        clock.set(1_000);
        assertThat(clock.nanoTime()).isEqualTo(1_000);
    }

    @Test
    void virtualClockRefusesToGoBack() {
        VirtualClock clock = new VirtualClock();
        clock.set(10);
        assertThatIllegalArgumentException().isThrownBy(() -> clock.set(9)).withMessageContaining("10 ns");
        assertThatIllegalArgumentException().isThrownBy(() -> clock.advance(-1));
        assertThat(clock.nanoTime()).isEqualTo(10);
    }

    @Test
    void virtualClockSurvivesTheWrapOfNanoTime() {
        VirtualClock clock = new VirtualClock(Long.MAX_VALUE - 1);
        assertThat(clock.advance(5) - (Long.MAX_VALUE - 1)).isEqualTo(5);
    }

    @Test
    void systemClockDoesNotGoBack() {
        Clock clock = Clock.system();
        long first = clock.nanoTime();
        assertThat(clock.nanoTime() - first).isNotNegative();
    }

    @Test
    void unusableWaitingParametersAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> IdleStrategy.spin(-1)).withMessageContaining("-1");
        assertThatIllegalArgumentException().isThrownBy(() -> IdleStrategy.spinThenPark(-1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> IdleStrategy.spinThenPark(1, 0));
    }

    @Test
    void spinningReturnsWithAndWithoutWork() {
        for (IdleStrategy idle : new IdleStrategy[] { IdleStrategy.spin(), IdleStrategy.spin(0),
                IdleStrategy.spin(3) }) {
            idle.idle(0);
            idle.idle(1);
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void spinThenParkParksAfterTheSpinsAndAnUnparkEndsIt() throws InterruptedException {
        IdleStrategy idle = IdleStrategy.spinThenPark(3, TimeUnit.MINUTES.toNanos(10));
        AtomicBoolean woken = new AtomicBoolean();
        Thread sleeper = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; i < 4; i++) {
                idle.idle(0);
            }
            woken.set(true);
        });
        while (LockSupport.getBlocker(sleeper) != idle) {
            Thread.onSpinWait();
        }
        assertThat(woken).isFalse();
        LockSupport.unpark(sleeper);
        sleeper.join();
        assertThat(woken).isTrue();
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void workResetsTheSpinsBeforeParking() {
        IdleStrategy idle = IdleStrategy.spinThenPark(2, TimeUnit.MINUTES.toNanos(10));
        for (int i = 0; i < 100; i++) {
            idle.idle(0);
            idle.idle(0);
            idle.idle(1);
        }
        LockSupport.unpark(Thread.currentThread());
        idle.idle(0);
        idle.idle(0);
        idle.idle(0);
        assertThat(Thread.interrupted()).isFalse();
    }
}
