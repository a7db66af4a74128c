package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimersTest {
    @Test
    void expireInOrderOfTimeWithCpuAndCookie() {
        for (long seed = 0; seed < 100; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Timers timers = new Timers();
            int count = 1 + random.nextInt(64);
            for (int i = 0; i < count; i++) {
                long at = random.nextInt(1000);
                assertThat(timers.arm((int) (at % 7), at, at * 3)).isTrue();
            }
            Message message = new Message();
            long last = 0;
            for (int i = 0; i < count; i++) {
                assertThat(timers.isDue(1000)).as("seed %d: %d of %d", seed, i, count).isTrue();
                long at = timers.expire(message, 9).dueNanos();
                assertThat(at).as("seed %d", seed).isGreaterThanOrEqualTo(last);
                assertThat(message.type()).isEqualTo(MessageType.CPU_TIMER_EXPIRED);
                assertThat(message.cpu()).isEqualTo((int) (at % 7));
                assertThat(message.affinity()).isEqualTo(at * 3);
                assertThat(message.epoch()).isEqualTo(9);
                last = at;
            }
            assertThat(timers.isDue(Long.MAX_VALUE - 1)).as("none is left").isFalse();
        }
    }

    @Test
    void areDueAtTheirTimeAndNotBefore() {
        Timers timers = new Timers();
        timers.arm(0, 100, 1);
        assertThat(timers.isDue(99)).isFalse();
        assertThat(timers.isDue(100)).isTrue();
        timers.arm(0, 50, 2);
        assertThat(timers.isDue(50)).isTrue();
        assertThat(timers.expire(new Message(), 1).affinity()).isEqualTo(2);
        assertThat(timers.isDue(99)).isFalse();
    }

    @Test
    void oneTooManyIsRefusedUntilOneExpires() {
        Timers timers = new Timers();
        for (int i = 0; i < 64; i++) {
            assertThat(timers.arm(0, i, i)).isTrue();
        }
        assertThat(timers.arm(0, 1, 1)).isFalse();
        timers.expire(new Message(), 1);
        assertThat(timers.arm(0, 1, 1)).isTrue();
    }
}
