package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventFdTest {
    @Test
    void signalsAddUpUntilTaken() {
        try (EventFd event = EventFd.create()) {
            assertThat(event.take()).isZero();
            event.signal();
            event.signal();
            event.signal();
            assertThat(event.take()).isEqualTo(3);
            assertThat(event.take()).isZero();
        }
    }

    @Test
    void waitingThreadWakesOnASignal() throws Exception {
        try (EventFd event = EventFd.create(); EventFd answer = EventFd.create()) {
            CompletableFuture<Long> waiter = CompletableFuture.supplyAsync(() -> {
                answer.signal();
                return event.await(30_000);
            });
            assertThat(answer.await(30_000)).isEqualTo(1);
            event.signal();
            assertThat(waiter.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    @Test
    void waitingEndsWithZeroAfterTheTimeout() {
        try (EventFd event = EventFd.create()) {
            assertThat(event.await(1)).isZero();
            assertThat(event.await(0)).isZero();
        }
    }

    @Test
    void aPeersCounterThatBlocksIsAwaitedNoLongerThanAsked() {
        int blocking = (int) NativeCall.words(Fn.EVENTFD, 0, Linux.O_CLOEXEC, 0);
        try (EventFd event = EventFd.of(Fd.adopt(blocking, "a peer's"))) {
            assertThat(event.await(1)).isZero();
            event.signal();
            event.signal();
            assertThat(event.await(30_000)).isEqualTo(2);
        }
    }

    /** The peer fills its counter, and makes it block, whenever it likes. */
    @Test
    void aPeersCounterThatIsFullBlocksNobody() throws Exception {
        int blocking = (int) NativeCall.words(Fn.EVENTFD, 0, Linux.O_CLOEXEC, 0);
        try (EventFd event = EventFd.of(Fd.adopt(blocking, "a peer's")); Arena arena = Arena.ofConfined()) {
            event.fd().write(arena.allocateFrom(ValueLayout.JAVA_LONG, -2L));
            Thread signals = Thread.ofPlatform().daemon().start(() -> {
                event.signal();
                event.signal();
            });
            signals.join(20_000);
            assertThat(signals.isAlive()).as("it waits").isFalse();
            assertThat(event.take()).as("full, as the kernel counts: 2^64 - 2 or - 1").isIn(-2L, -1L);
            event.signal();
            assertThat(event.take()).as("one that is empty again").isEqualTo(1);
            assertThat(NativeCall.words(Fn.FCNTL, blocking, 3, 0) & Linux.O_NONBLOCK).as("F_GETFL: left as it was")
                    .isZero();
        }
    }

    @Test
    void useAfterCloseIsAnException() {
        EventFd event = EventFd.create();
        event.close();
        assertThatThrownBy(event::signal).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(event::take).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> event.await(0)).isInstanceOf(IllegalStateException.class);
    }
}
