package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.CompactRpc;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls whose client, or the network, sends them more than once. */
class RepeatedCallsTest {
    private static final int BANK = 0x2000_0950;
    private static final Signature ONE = new Signature(List.of(ValueType.LONG), List.of(ValueType.LONG));

    private final AtomicLong balance = new AtomicLong(100);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    private Rig rig(int cores) {
        Rig rig = new Rig(LauberhornConfig.DEFAULT.withMachine(cores, 1, cores), LauberhornOptions.DEFAULT);
        rig.host.startProcess("bank", JavaService.empty(BANK, 1)
                .with(1, "withdraw", ONE, call -> call.setLong(0, balance.addAndGet(-call.longAt(0))))
                .with(2, "fail", ONE, call -> {
                    balance.addAndGet(-call.longAt(0));
                    throw new IllegalStateException("as asked");
                })
                .with(3, "slowly", ONE, call -> {
                    await(mayGoOn);
                    call.setLong(0, balance.addAndGet(-call.longAt(0)));
                }));
        return rig;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(Rig rig, int xid, int procedure, long amount) {
        rig.client.call(xid, BANK, 1, procedure, ONE, new long[] { amount }, 8);
    }

    private static void replies(Rig rig, long xid, int count) {
        rig.until(() -> rig.statuses.containsKey(xid) && rig.statuses.get(xid).size() == count,
                count + " replies to call " + xid);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void aCallThatComesAgainIsAnsweredAndNotRun(int cores) {
        try (Rig rig = rig(cores)) {
            for (int times = 1; times <= 3; times++) {
                send(rig, 7, 1, 10);
                replies(rig, 7, times);
                assertThat(ByteBuffer.wrap(rig.results.get(7L)).getLong()).isEqualTo(90);
            }
            assertThat(balance).hasValue(90);
            assertThat(rig.statuses.get(7L)).containsOnly(OncRpc.SUCCESS);
            assertThat(rig.host.counters().get(Total.REPEATED)).isEqualTo(2);
            assertThat(rig.host.counters().get(Total.REQUESTS)).isEqualTo(1);
        }
    }

    /** Of the compact header the id has 64 bits, of which each counts. */
    @ParameterizedTest
    @ValueSource(longs = { 7, -1, 1L << 40 })
    void oneWithTheCompactHeaderIsAnsweredAndNotRunEither(long id) {
        try (Rig rig = rig(1)) {
            for (int times = 1; times <= 3; times++) {
                rig.client.compactCall(id, BANK, 1, new long[] { 10 }, 8);
                replies(rig, id, times);
            }
            assertThat(balance).hasValue(90);
            assertThat(rig.statuses.get(id)).containsOnly(CompactRpc.DONE);
            assertThat(rig.host.counters().get(Total.REPEATED)).isEqualTo(2);
            rig.client.compactCall(id ^ 1L << 63, BANK, 1, new long[] { 10 }, 8);
            replies(rig, id ^ 1L << 63, 1);
            assertThat(balance).as("another id").hasValue(80);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void oneThatIsUnderWayIsNotRunBesideItself(int cores) {
        try (Rig rig = rig(cores)) {
            for (int i = 0; i < 16; i++) {
                send(rig, 8, 3, 10);
            }
            rig.until(() -> rig.host.counters().get(Total.REPEATED) == 15, "the repeated ones");
            mayGoOn.countDown();
            replies(rig, 8, 1);
            assertThat(balance).hasValue(90);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void oneWhoseHandlerFailedIsRefusedAgain(int cores) {
        try (Rig rig = rig(cores)) {
            send(rig, 9, 2, 10);
            replies(rig, 9, 1);
            send(rig, 9, 2, 10);
            replies(rig, 9, 2);
            assertThat(rig.statuses.get(9L)).containsOnly(OncRpc.SYSTEM_ERR);
            assertThat(balance).hasValue(90);
        }
    }

    @Test
    void anIdThatIsUsedForAnotherCallIsAnotherCall() {
        try (Rig rig = rig(1)) {
            send(rig, 10, 1, 10);
            replies(rig, 10, 1);
            send(rig, 10, 1, 20);
            replies(rig, 10, 2);
            assertThat(balance).hasValue(70);
        }
    }

    @Test
    void beyondTheWindowItRunsAgain() {
        try (Rig rig = rig(1)) {
            for (int xid = 100; xid <= 164; xid++) {
                send(rig, xid, 1, 1);
                replies(rig, xid, 1);
            }
            send(rig, 164, 1, 1);
            replies(rig, 164, 2);
            send(rig, 101, 1, 1);
            replies(rig, 101, 2);
            assertThat(balance).as("the last 64 are remembered").hasValue(100 - 65);
            send(rig, 100, 1, 1);
            replies(rig, 100, 2);
            assertThat(balance).hasValue(100 - 66);
        }
    }
}
