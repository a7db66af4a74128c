package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.run.Failure;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DemoThreadsTest {
    @Test
    void theyBeginTogetherOnceTheLastIsAlive() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        AtomicLong lastAlive = new AtomicLong(Long.MIN_VALUE);
        DemoThreads threads = new DemoThreads(() -> {
            boolean isLate = asked.getAndIncrement() == 0;
            if (isLate) {
                DemoThreads.sleepUntil(System.nanoTime() + 50_000_000);
                lastAlive.set(System.nanoTime());
            }
            return isLate;
        });
        Queue<Long> begins = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 8; i++) {
            threads.add("one-" + i, begins::add);
        }
        threads.run();
        assertThat(begins).hasSize(8);
        assertThat(begins.stream().distinct()).as("one begin for all").hasSize(1);
        assertThat(begins.element() - lastAlive.get()).as("after the last came to life").isNotNegative();
        assertThat(threads.ruled()).isEqualTo(1);
    }

    @Test
    void oneThatFailsAtFirstHoldsNobodyUpAndIsTold() {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger worked = new AtomicInteger();
        DemoThreads threads = new DemoThreads(() -> {
            if (asked.getAndIncrement() == 0) {
                throw new IllegalStateException("no class");
            }
            return false;
        });
        for (int i = 0; i < 3; i++) {
            threads.add("one-" + i, begin -> worked.getAndIncrement());
        }
        assertThatThrownBy(threads::run).isInstanceOf(Failure.class).hasMessageContaining("no class");
        assertThat(worked).hasValue(2);
    }
}
