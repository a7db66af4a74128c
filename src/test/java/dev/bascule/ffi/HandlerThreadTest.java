package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HandlerThreadTest {
    private final BlockingQueue<String> ran = new LinkedBlockingQueue<>();

    @Test
    void handlersRunOnItsThreadUntilTheyAreRemoved() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        try (EventFd one = EventFd.create();
                EventFd two = EventFd.create();
                HandlerThread handlers = new HandlerThread("handlers")) {
            handlers.add(one, () -> {
                thread.set(Thread.currentThread());
                ran.add("one " + one.take());
            });
            handlers.add(two, () -> ran.add("two " + two.take()));
            one.signal();
            assertThat(ran.take()).isEqualTo("one 1");
            assertThat(thread.get().getName()).isEqualTo("handlers");
            handlers.remove(one);
            handlers.remove(one);
            one.signal();
            two.signal();
            assertThat(ran.take()).isEqualTo("two 1");
            handlers.again(() -> ran.add("again"));
            assertThat(ran.take()).isEqualTo("again");
            assertThat(one.take()).as("left alone").isEqualTo(1);
        }
        thread.get().join();
    }

    @Test
    void closeWaitsForTheHandlerUnderWay() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        HandlerThread handlers = new HandlerThread("handlers");
        handlers.again(() -> {
            entered.countDown();
            java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            ran.add("done");
        });
        entered.await();
        handlers.close();
        assertThat(ran).containsExactly("done");
    }

    @Test
    void aHandlerMayCloseIt() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        HandlerThread handlers = new HandlerThread("handlers");
        handlers.again(() -> {
            handlers.close();
            thread.set(Thread.currentThread());
            ran.add("closed");
        });
        assertThat(ran.take()).isEqualTo("closed");
        thread.get().join();
    }
}
