package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EpollTest {
    @Test
    void reportsExactlyTheSignalledOnesByTheirToken() {
        try (Epoll epoll = Epoll.create(4);
                EventFd a = EventFd.create();
                EventFd b = EventFd.create();
                EventFd c = EventFd.create()) {
            epoll.add(a.fd(), Linux.POLLIN, 0x1122334455667788L);
            epoll.add(b.fd(), Linux.POLLIN, -2);
            epoll.add(c.fd(), Linux.POLLIN, 3);
            assertThat(epoll.await(0)).isZero();
            a.signal();
            b.signal();
            assertThat(epoll.await(30_000)).isEqualTo(2);
            assertThat(new long[] { epoll.token(0), epoll.token(1) })
                    .containsExactlyInAnyOrder(0x1122334455667788L, -2);
            assertThat(epoll.events(0)).isEqualTo(Linux.POLLIN);
            a.take();
            epoll.remove(b.fd());
            assertThat(epoll.await(0)).isZero();
        }
    }

    @Test
    void moreThanFitAreReportedByTheNextWait() {
        try (Epoll epoll = Epoll.create(1); EventFd a = EventFd.create(); EventFd b = EventFd.create()) {
            epoll.add(a.fd(), Linux.POLLIN, 1);
            epoll.add(b.fd(), Linux.POLLIN, 2);
            a.signal();
            b.signal();
            assertThat(epoll.await(30_000)).isEqualTo(1);
            long first = epoll.token(0);
            (first == 1 ? a : b).take();
            assertThat(epoll.await(30_000)).isEqualTo(1);
            assertThat(epoll.token(0)).isEqualTo(3 - first);
        }
    }

    @Test
    void waitingThreadWakesOnASignal() throws Exception {
        try (Epoll epoll = Epoll.create(1); EventFd event = EventFd.create(); EventFd started = EventFd.create()) {
            epoll.add(event.fd(), Linux.POLLIN, 7);
            CompletableFuture<Integer> waiter = CompletableFuture.supplyAsync(() -> {
                started.signal();
                return epoll.await(30_000);
            });
            started.await(30_000);
            event.signal();
            assertThat(waiter.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    @Test
    void modifyChangesEventsAndToken() {
        try (Epoll epoll = Epoll.create(1); EventFd event = EventFd.create()) {
            epoll.add(event.fd(), Linux.POLLIN, 1);
            epoll.modify(event.fd(), Linux.POLLOUT, 2);
            assertThat(epoll.await(30_000)).isEqualTo(1);
            assertThat(epoll.token(0)).isEqualTo(2);
            assertThat(epoll.events(0)).isEqualTo(Linux.POLLOUT);
        }
    }

    @Test
    void misuseIsAnException() {
        Epoll epoll = Epoll.create(1);
        try (EventFd event = EventFd.create()) {
            epoll.add(event.fd(), Linux.POLLIN, 1);
            assertThatThrownBy(() -> epoll.add(event.fd(), Linux.POLLIN, 1)).hasMessageContaining("EEXIST");
            assertThatThrownBy(() -> epoll.token(0)).isInstanceOf(IndexOutOfBoundsException.class);
            epoll.remove(event.fd());
            assertThatThrownBy(() -> epoll.remove(event.fd())).hasMessageContaining("epoll_ctl remove eventfd: ENOENT");
            epoll.close();
            assertThatThrownBy(() -> epoll.await(0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> epoll.add(event.fd(), 1, 1)).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> Epoll.create(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Epoll.create(Integer.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
    }
}
