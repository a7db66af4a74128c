package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How often a host calls an address where nobody answers. */
class CallPausesTest {
    private static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 1);
    private static final InetSocketAddress OTHER = new InetSocketAddress("127.0.0.1", 2);

    private final CallPauses pauses = new CallPauses();
    private long now = -5; // as System.nanoTime, which has no origin

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Calls of a host that looks every 20 ms, for so long, and nobody answers. */
    private int calls(long forMillis) {
        int calls = 0;
        for (long end = now + millis(forMillis); now - end < 0; now += millis(20)) {
            if (pauses.isDue(PEER, now)) {
                calls++;
                pauses.failed(PEER, now);
            }
        }
        return calls;
    }

    @Test
    void whereNobodyAnswersCallsBecomeRare() {
        assertThat(calls(1_000)).as("in the first second").isBetween(5, 7);
        assertThat(calls(10_000)).as("in ten seconds after it").isBetween(19, 20);
    }

    @Test
    void whoHasAnsweredIsCalledAtOnceWhenItHasGone() {
        calls(5_000);
        pauses.answered(PEER);
        assertThat(pauses.isDue(PEER, now)).isTrue();
        pauses.failed(PEER, now);
        assertThat(pauses.isDue(PEER, now + millis(20))).isTrue();
    }

    @Test
    void eachAddressHasItsOwnPauses() {
        calls(5_000);
        pauses.failed(PEER, now);
        assertThat(pauses.isDue(OTHER, now)).isTrue();
        assertThat(pauses.isDue(PEER, now)).isFalse();
    }

    @Test
    void allAreDueWhenSomebodyNewIsKnownToBeThere() {
        calls(5_000);
        pauses.failed(PEER, now);
        pauses.endAll();
        assertThat(pauses.isDue(PEER, now)).isTrue();
    }
}
