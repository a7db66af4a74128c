package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentException;
import dev.bascule.ring.IdleStrategy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents as threads: one that hangs is left behind, and what becomes of it later is not its successor's fate. */
@Timeout(60)
class ThreadAgentTest {
    @Test
    void aZombieThatEndsDoesNotMarkItsSuccessorAsEnded() throws Exception {
        CountDownLatch zombieMayEnd = new CountDownLatch(1);
        CountDownLatch successorMayEnd = new CountDownLatch(1);
        AtomicInteger starts = new AtomicInteger();
        Thread[] threads = new Thread[3];
        ThreadAgent agent = new ThreadAgent(() -> {
            int start = starts.incrementAndGet();
            threads[start] = Thread.currentThread();
            await(start == 1 ? zombieMayEnd : successorMayEnd);
            throw new AgentException("agent " + start + " ends");
        }, () -> null, IdleStrategy::spin);
        agent.start();
        awaitStarts(starts, 1);
        agent.kill(); // it hangs
        agent.start();
        awaitStarts(starts, 2);
        zombieMayEnd.countDown();
        threads[1].join();
        assertThat(agent.hasExited()).as("the successor is at work").isFalse();
        assertThat(agent.exitReport()).isEmpty();
        successorMayEnd.countDown();
        threads[2].join();
        assertThat(agent.hasExited()).isTrue();
        assertThat(agent.exitReport()).contains("agent 2 ends");
        agent.close();
    }

    private static void awaitStarts(AtomicInteger starts, int count) {
        while (starts.get() < count) {
            Thread.onSpinWait();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
