package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicCounters.OfCore;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Cores come when threads wait for one and leave when it is calm; what is under way then is answered once. */
@Timeout(300)
class CoresByLoadTest {
    private static final long MINUTE = 60_000_000_000L;
    private static final int SERVICES = 4;
    private static final int CORES = 4;
    private static final CoreRange QUICK = new CoreRange(1, 1_000_000, 5_000_000);

    private final List<List<Integer>> open = new ArrayList<>();

    static Stream<Arguments> deciders() {
        LauberhornOptions own = LauberhornOptions.DEFAULT.withCriticalNanos(MINUTE);
        return Stream.of(Arguments.of("the NIC's own", own), Arguments.of("fifo", by(own, FifoAgent::new)),
                Arguments.of("round-robin", by(own, () -> new RoundRobinAgent(200_000))));
    }

    private static LauberhornOptions by(LauberhornOptions options, Supplier<? extends Agent> policy) {
        return options.withScheduler(AgentScheduler.of(policy));
    }

    private Rig rig(LauberhornOptions options, CoreRange range) {
        Rig rig = new Rig(LauberhornConfig.DEFAULT.withMachine(CORES, SERVICES, 2)
                .withTimes(new LauberhornConfig.Times(15_000_000, MINUTE, MINUTE)), options.withCores(range));
        for (int which = 0; which < SERVICES; which++) {
            rig.host.startProcess("service " + which, PrototypeScenariosTest.service(which));
            open.add(new ArrayList<>());
        }
        return rig;
    }

    /** Eight calls of each service are under way, always: work for longer than this thread may be without a CPU. */
    private void topUp(Rig rig) {
        for (int which = 0; which < SERVICES; which++) {
            List<Integer> calls = open.get(which);
            while (calls.stream().filter(id -> !rig.statuses.containsKey((long) id)).count() < 8) {
                calls.add(PrototypeScenariosTest.send(rig, which, 1, 5_000));
            }
        }
    }

    /** Each call that was sent has one answer, from whom it was for. */
    private void settle(Rig rig) {
        for (int which = 0; which < SERVICES; which++) {
            for (int id : open.get(which)) {
                PrototypeScenariosTest.check(rig, id, which);
            }
            open.get(which).clear();
        }
        PrototypeScenariosTest.accounts(rig);
        assertThat(rig.host.counters().get(Total.REFUSED)).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("deciders")
    void aBurstBringsCoresAndCalmTakesThem(String name, LauberhornOptions options) {
        try (Rig rig = rig(options, QUICK)) {
            for (int round = 0; round < 3; round++) {
                rig.until(() -> rig.host.coreUse().now() == 1, "all cores but one to leave");
                rig.until(() -> {
                    topUp(rig);
                    return rig.host.coreUse().now() == CORES;
                }, "all cores to come");
                settle(rig);
            }
            rig.until(() -> rig.host.coreUse().now() == 1, "all cores but one to leave");
            rig.until(() -> rig.host.coreUse().left() >= 4 * (CORES - 1), "the balancer to have counted who left");
            CoreUse use = rig.host.coreUse();
            assertThat(use.came()).as(use.toString()).isGreaterThanOrEqualTo(3 * (CORES - 1));
            assertThat(use.most()).isEqualTo(CORES);
            assertThat(use.mean()).isBetween(1.0, (double) CORES);
            assertThat(rig.host.counters().sum(OfCore.RETIRED)).as("lines that said RETIRE")
                    .isGreaterThanOrEqualTo(use.left());
        }
    }

    @Test
    void withNoCoreLeftTheNextRequestBringsOne() {
        try (Rig rig = rig(LauberhornOptions.DEFAULT.withCriticalNanos(MINUTE), new CoreRange(0, 0, 5_000_000))) {
            for (int round = 0; round < 5; round++) {
                rig.until(() -> rig.host.coreUse().now() == 0, "all cores to leave");
                assertThat(rig.host.cores()).containsOnly("retired");
                open.get(round % SERVICES).add(PrototypeScenariosTest.send(rig, round % SERVICES, 1, 0));
                settle(rig);
            }
        }
    }

    /** Cores leave at the first idle look and come at the first that finds one waiting, under requests all the time. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("deciders")
    void aRequestThatRacesWithRetireIsAnsweredOnce(String name, LauberhornOptions options) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (Rig rig = rig(options, new CoreRange(0, 0, 0))) {
            int sent = 0;
            while (sent < 1_000 || rig.host.coreUse().left() < 30) {
                int calls = 1 + random.nextInt(12);
                for (int i = 0; i < calls; i++, sent++) {
                    int which = random.nextInt(SERVICES);
                    open.get(which).add(PrototypeScenariosTest.send(rig, which, 1, random.nextInt(300)));
                }
                LockSupport.parkNanos(random.nextInt(2_000_000));
                boolean isFull = open.stream().mapToInt(List::size).sum() > 20; // no queue is to be full
                if (isFull || random.nextInt(4) == 0) {
                    settle(rig);
                }
                rig.client.poll(64);
            }
            settle(rig);
        }
    }

    @Test
    void aCoreThatWasRetiredByHandComesBackOnlyByHand() {
        try (Rig rig = rig(LauberhornOptions.DEFAULT.withCriticalNanos(MINUTE), QUICK)) {
            rig.host.retire(2);
            rig.until(() -> {
                topUp(rig);
                return rig.host.coreUse().now() == CORES - 1 && rig.host.cores().get(2).equals("retired");
            }, "all other cores to come");
            long answered = rig.host.counters().get(Total.ANSWERED);
            rig.until(() -> {
                topUp(rig);
                assertThat(rig.host.cores().get(2)).isEqualTo("retired");
                return rig.host.counters().get(Total.ANSWERED) >= answered + 100;
            }, "a hundred answers");
            rig.host.admit(2);
            rig.until(() -> {
                topUp(rig);
                return rig.host.coreUse().now() == CORES;
            }, "the core to be back");
            settle(rig);
        }
    }
}
