package dev.bascule.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.Affinity;
import dev.bascule.ffi.Libc;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class IdleStrategyTest {
    private static final int TURNS = 2_000;

    @Test
    void aNegativeNumberOfSpinsIsRefused() {
        assertThatThrownBy(() -> IdleStrategy.spinThenYield(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }

    /** By time slices of milliseconds it would take many seconds; either way it ends. */
    @Test
    void twoThreadsOfOneCoreThatWaitForEachOtherGetOn() throws Exception {
        AtomicInteger turn = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            int me = i;
            Thread.ofPlatform().daemon().start(() -> {
                Affinity.pin(0);
                IdleStrategy idle = IdleStrategy.spinThenYield(16);
                while (turn.get() < TURNS) {
                    boolean mine = turn.get() % 2 == me;
                    if (mine) {
                        turn.incrementAndGet();
                    }
                    idle.idle(mine ? 1 : 0);
                    Libc.yieldCore();
                }
                done.countDown();
            });
        }
        done.await();
        assertThat(turn.get()).isGreaterThanOrEqualTo(TURNS);
    }
}
