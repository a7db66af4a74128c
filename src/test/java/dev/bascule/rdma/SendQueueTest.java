package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.SendRequests;
import dev.bascule.ffi.Verbs;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A full queue whose other side shows nothing, by a clock of the test. */
class SendQueueTest {
    private static final long SECOND = 1_000_000_000;
    private static final int CAPACITY = 8;

    private final List<String> said = new ArrayList<>();
    private long now = 5 * SECOND;

    /** Every request is taken and none is carried out. */
    private static Verbs stalled() {
        return (Verbs) Proxy.newProxyInstance(Verbs.class.getClassLoader(), new Class<?>[] { Verbs.class },
                (proxy, method, arguments) -> 0);
    }

    private SendQueue full() {
        SendQueue queue = new SendQueue(stalled(), 1, CAPACITY, 4 * SECOND, () -> now, new RemoteRead[0], said::add);
        Verbs.QueuePair pair = new Verbs.QueuePair(1, 1, 64);
        SendRequests requests = new SendRequests(1);
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(queue.send(pair, requests, 1, true)).isPositive();
        }
        assertThat(queue.hasRoom(1)).isFalse();
        return queue;
    }

    /** A machine that slept for an hour, the other side with it: nobody is given up before it has had its time. */
    @Test
    void absenceIsNotHeldAgainstTheOtherSide() {
        SendQueue queue = full();
        now += 3_600 * SECOND;
        assertThat(queue.hasRoom(1)).isFalse();
        assertThat(said).isEmpty();
        for (int look = 0; look < 20; look++) {
            now += SECOND / 2;
            assertThat(queue.hasRoom(1)).isFalse();
        }
        assertThat(said).hasSize(1).first().asString().contains("it has taken nothing for 4000 ms");
    }
}
