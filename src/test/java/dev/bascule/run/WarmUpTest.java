package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Whether the other threads of a process rest. */
class WarmUpTest {
    private static final long LIMIT_NANOS = 60_000_000_000L;

    @Test
    void whoUsesACoreIsWaitedForUntilItRests() throws Exception {
        AtomicLong looks = new AtomicLong();
        assertThat(WarmUp.await(() -> 10_000_000 * Math.min(4, looks.getAndIncrement()), LIMIT_NANOS)).isTrue();
        assertThat(looks).as("four steps of work, and one of rest").hasValue(6);
    }

    @Test
    void whoNeverRestsIsWaitedForNoLongerThanSaid() throws Exception {
        AtomicLong used = new AtomicLong();
        assertThat(WarmUp.await(() -> used.addAndGet(10_000_000), 60_000_000)).isFalse();
    }

    @Test
    void whatCountsIsWhatOtherThreadsUse() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        long last = WarmUp.othersNanos();
        long used = 0;
        Thread worker = Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                Thread.onSpinWait();
            }
        });
        try {
            long deadline = System.nanoTime() + LIMIT_NANOS;
            while (used < 20_000_000 && System.nanoTime() < deadline) {
                Thread.sleep(5);
                long now = WarmUp.othersNanos();
                used += Math.max(0, now - last); // less when a thread has ended meanwhile
                last = now;
            }
            assertThat(used).isGreaterThanOrEqualTo(20_000_000);
        } finally {
            stop.set(true);
            worker.join();
        }
    }
}
