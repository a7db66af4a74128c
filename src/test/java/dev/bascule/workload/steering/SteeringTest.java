package dev.bascule.workload.steering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.TimeHistogram;
import dev.bascule.host.YieldPoint;
import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.registry.PolicySpec;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.workload.lauberhorn.CountedLosses;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.RpcLoad;
import dev.bascule.workload.lauberhorn.WireClient;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of several clients through a card, an agent and a host's cores: each is answered or refused, once. */
@Timeout(300)
class SteeringTest {
    private static final int CALLS = 3_000;
    private static final int CLIENTS = 5;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private static RpcLoad load(SteeredCard card, int count, int underWay) {
        RpcLoad load = new RpcLoad(new RpcLoad.Plan(count, 0, underWay, 2, 0, 0, 1), TimeHistogram.single()::record);
        load.over(new WireClient(card.cable.get(1), IntStream.range(0, CLIENTS).mapToObj(SteeredCard::flow).toList(),
                load::reply));
        load.run(() -> false, PATIENCE_NANOS);
        return load;
    }

    @ParameterizedTest
    @CsvSource({ "on-host, LEAST_LOADED, 1, 1", "wave, LEAST_LOADED, 2, 4", "wave, HASH, 4, 2", "swap, HASH, 2, 4",
            "swap, DEADLINE, 1, 1", "swap, CLASS, 8, 12" })
    void everyCallOfSeveralClientsIsAnsweredOnce(String link, Steering steering, int cpus, int depth) throws Exception {
        try (SteeredCard card = new SteeredCard(steering, 256, PATIENCE_NANOS,
                List.of(DemoService.number(0), DemoService.number(1)))
                .decide(link, PolicySpec.of(steering.policy()).factory(), cpus, depth)) {
            RpcLoad load = load(card, CALLS, 64);
            assertThat(load.account().answered()).isEqualTo(CALLS);
            assertThat(load.account().isClean()).isTrue();
            assertThat(card.counters().get(Total.ANSWERED)).isEqualTo(CALLS);
            assertThat(card.front.failure()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap" })
    void aCallThatComesAgainIsAnsweredAndNotRun(String link) throws Exception {
        AtomicLong runs = new AtomicLong();
        JavaService counting = JavaService.empty(DemoService.PROGRAM, 1).with(1, "count", Signature.NULL,
                call -> runs.incrementAndGet());
        AtomicInteger replies = new AtomicInteger();
        try (SteeredCard card = new SteeredCard(Steering.LEAST_LOADED, 8, PATIENCE_NANOS, List.of(counting)).decide(
                link,
                PolicySpec.of("fifo-per-cpu").factory(), 1, 1)) {
            WireClient client = new WireClient(card.cable.get(1), SteeredCard.flow(0),
                    (id, status, payload, offset, bytes) -> replies.addAndGet(status == OncRpc.SUCCESS ? 1 : 1_000));
            long end = System.nanoTime() + PATIENCE_NANOS;
            for (int times = 1; times <= 3; times++) {
                client.call(7, DemoService.PROGRAM, 1, 1, Signature.NULL, new long[0], 0);
                while (replies.get() < times) {
                    assertThat(System.nanoTime() - end).as("reply %d", times).isNegative();
                    client.poll(1);
                    Thread.yield();
                }
            }
            assertThat(replies).hasValue(3);
            assertThat(runs).hasValue(1);
            assertThat(card.counters().get(Total.REPEATED)).isEqualTo(2);
        }
    }

    @Test
    void whatIsBeyondTheQueueIsRefusedAndSaidToBe() throws Exception {
        try (SteeredCard card = new SteeredCard(Steering.LEAST_LOADED, 2, PATIENCE_NANOS,
                List.of(DemoService.number(0), DemoService.number(1)))
                .decide("wave", PolicySpec.of("fifo-per-cpu").factory(), 1, 1)) {
            RpcLoad load = load(card, CALLS, 64);
            assertThat(load.account().isClean()).isTrue();
            assertThat(load.account().refused()).isPositive().isEqualTo(card.counters().get(Refusal.QUEUE_FULL));
            assertThat(load.account().answered() + load.account().refused()).isEqualTo(CALLS);
        }
    }

    @Test
    void aRequestThatWaitedTooLongIsRefusedAndNotServed() throws Exception {
        try (SteeredCard card = new SteeredCard(Steering.DEADLINE, 64, 0,
                List.of(DemoService.number(0), DemoService.number(1)))
                .decide("swap", PolicySpec.of("edf").factory(), 1, 1)) {
            RpcLoad load = load(card, 100, 8);
            assertThat(load.account().isClean()).isTrue();
            assertThat(load.account().refused()).isEqualTo(100).isEqualTo(card.counters().get(Refusal.TOO_LATE));
        }
    }

    @Test
    void whatTheCardHasNoRoomForWhileTheFrontHasNoCoreIsAccountedFor() throws Exception {
        try (SteeredCard card = new SteeredCard(Steering.LEAST_LOADED, 256, PATIENCE_NANOS,
                List.of(DemoService.number(0), DemoService.number(1)))) {
            RpcLoad load = new RpcLoad(new RpcLoad.Plan(CALLS, 0, CALLS, 2, 0, 0, 1), nanos -> {});
            load.over(new CountedLosses(new WireClient(card.cable.get(1), SteeredCard.flow(0), load::reply),
                    () -> card.model.losses().total()));
            Thread client = Thread.ofPlatform().start(() -> load.run(() -> false, PATIENCE_NANOS));
            while (card.model.losses().isEmpty()) { // more than a ring, and nobody takes them out
                assertThat(client.isAlive()).isTrue();
                Thread.sleep(1);
            }
            card.decide("wave", PolicySpec.of("fifo-per-cpu").factory(), 2, 1);
            client.join();
            assertThat(load.account().sent()).isEqualTo(CALLS);
            assertThat(load.lost()).isPositive().isEqualTo(card.model.losses().total());
            assertThat(load.account().answered() + load.account().refused() + load.lost()).isEqualTo(CALLS);
            assertThat(load.isClean()).isTrue();
            assertThat(load.account().isClean()).isFalse();
        }
    }

    @Test
    void theClassOfARequestIsItsFlowForHashAndItsProcedureElse() {
        assertThat(Steering.HASH.classOf(-1, 3)).isBetween(0, 255).isEqualTo(Steering.HASH.classOf(-1, 4));
        assertThat(Steering.CLASS.classOf(77, 3)).isEqualTo(3).isEqualTo(Steering.CLASS.classOf(78, 3));
        assertThat(Steering.words()).containsExactly("least-loaded", "hash", "class", "deadline");
        assertThat(Steering.of("class")).isEqualTo(Steering.CLASS);
    }

    @Test
    void numbersPutByManyThreadsAreEachTakenOnce() throws Exception {
        int threads = 4;
        int each = 20_000;
        IdRing ring = new IdRing(threads * each);
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> putters = IntStream.range(0, threads).mapToObj(t -> Thread.ofPlatform().start(() -> {
            try {
                begin.await();
            } catch (InterruptedException e) {
                return;
            }
            IntStream.range(0, each).forEach(i -> ring.put(t * each + i));
        })).toList();
        begin.countDown();
        BitSet taken = new BitSet();
        int[] last = new int[threads];
        java.util.Arrays.fill(last, -1);
        for (int count = 0; count < threads * each;) {
            int id = ring.peek();
            if (id >= 0) {
                assertThat(taken.get(id)).isFalse();
                assertThat(id % each).as("order of thread %d", id / each).isGreaterThan(last[id / each]);
                last[id / each] = id % each;
                taken.set(id);
                ring.take();
                count++;
            }
        }
        assertThat(ring.peek()).isEqualTo(-1);
        for (Thread putter : putters) {
            putter.join();
        }
    }

    @Test
    void whatAHandlerThrowsIsARefusalAndTheNextRequestIsServed() throws Exception {
        try (SteeredCard card = new SteeredCard(Steering.CLASS, 8, PATIENCE_NANOS, List.of(DemoService.number(1)))) {
            long[] words = { 0, 7, 0, dev.bascule.rpc.ValueType.reference(4, 0) }; // work of service 0, asked of service 1
            int[] statuses = { -1, -1, -1 };
            WireClient client = new WireClient(card.cable.get(1), SteeredCard.flow(0),
                    (id, status, payload, offset, bytes) -> statuses[(int) id] = status);
            for (int call = 0; call < statuses.length; call++) {
                int number = call;
                words[0] = call == 1 ? 0 : 1;
                client.call(call, DemoService.PROGRAM + 1, 1, DemoService.WORK, DemoService.WORK_SIGNATURE, words, 32);
                card.step(() -> card.hasArrived());
                card.jobs.run(card.jobs.take(), YieldPoint.NONE);
                card.step(() -> client.poll(1) > 0 && statuses[number] >= 0);
            }
            assertThat(statuses).containsExactly(0, 5, 0);
            assertThat(card.counters().get(Refusal.HANDLER_FAILED)).isEqualTo(1);
            assertThat(card.jobs.lastFailure()).hasMessageContaining("service 1 got a request of service 0");
        }
    }
}
