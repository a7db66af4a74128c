package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.lauberhorn.CoreScheduler;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.LauberhornNic;
import dev.bascule.model.lauberhorn.NicCounters.OfCore;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RandomAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.policy.ShinjukuAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies that know nothing of NICs decide in one. */
class AgentSchedulerTest {
    private static final long MINUTE = 60_000_000_000L;
    private static final LauberhornOptions PATIENT = LauberhornOptions.DEFAULT.withCriticalNanos(MINUTE);

    private final AtomicReference<AgentScheduler> scheduler = new AtomicReference<>();

    static Stream<Arguments> policies() {
        return Stream.of(Arguments.of("fifo", (Supplier<Agent>) FifoAgent::new),
                Arguments.of("round-robin", (Supplier<Agent>) () -> new RoundRobinAgent(200_000)),
                Arguments.of("shinjuku",
                        (Supplier<Agent>) () -> new ShinjukuAgent(200_000, new long[] { 1_000_000_000 })),
                Arguments.of("random", (Supplier<Agent>) () -> new RandomAgent(7)));
    }

    private Rig rig(int cores, int processes, Supplier<? extends Agent> policy) {
        Function<LauberhornNic, CoreScheduler> maker = AgentScheduler.of(policy);
        LauberhornConfig config = LauberhornConfig.DEFAULT.withMachine(cores, processes, 2)
                .withTimes(new LauberhornConfig.Times(15_000_000, MINUTE, MINUTE));
        Rig rig = new Rig(config, PATIENT.withScheduler(nic -> {
            AgentScheduler made = (AgentScheduler) maker.apply(nic);
            scheduler.set(made);
            return made;
        }));
        for (int which = 0; which < processes; which++) {
            rig.host.startProcess("service " + which, PrototypeScenariosTest.service(which));
        }
        return rig;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("policies")
    void everyRequestIsServedWhateverThePolicy(String name, Supplier<Agent> policy) {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        try (Rig rig = rig(2, 5, policy)) {
            for (int round = 0; round < 20; round++) {
                List<Integer> ids = new ArrayList<>();
                List<Integer> targets = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    int which = random.nextInt(5);
                    ids.add(PrototypeScenariosTest.send(rig, which, 1, random.nextInt(300)));
                    targets.add(which);
                }
                for (int i = 0; i < ids.size(); i++) {
                    PrototypeScenariosTest.check(rig, ids.get(i), targets.get(i));
                }
            }
            PrototypeScenariosTest.accounts(rig);
            assertThat(scheduler.get().decisions()).as("decisions of %s, seed %d", name, seed).isPositive();
            assertThat(scheduler.get().incidents()).isEmpty();
        }
    }

    @Test
    void aSliceEndsALongRequest() {
        try (Rig rig = rig(1, 2, () -> new RoundRobinAgent(1_000_000))) {
            int slow = PrototypeScenariosTest.send(rig, 0, 1, 500_000);
            rig.until(() -> rig.host.counters().get(0, OfCore.DELIVERED) == 1, "the slow request to begin");
            int quick = PrototypeScenariosTest.send(rig, 1, 1, 0);
            PrototypeScenariosTest.check(rig, quick, 1);
            assertThat(rig.statuses).doesNotContainKey((long) slow);
            PrototypeScenariosTest.check(rig, slow, 0);
            PrototypeScenariosTest.accounts(rig);
        }
    }

    /** As many as one is enough; whether its process's queue is short or long does not matter. */
    @Test
    void aRequestThatWaitsGetsACoreThatIdles() {
        try (Rig rig = rig(2, 1, FifoAgent::new)) {
            int slow = PrototypeScenariosTest.send(rig, 0, 1, 500_000);
            rig.until(() -> rig.host.counters().get(0, OfCore.DELIVERED)
                    + rig.host.counters().get(1, OfCore.DELIVERED) == 1, "the slow request to begin");
            int quick = PrototypeScenariosTest.send(rig, 0, 1, 0);
            PrototypeScenariosTest.check(rig, quick, 0);
            assertThat(rig.statuses).as("the slow one is under way on the other core").doesNotContainKey((long) slow);
            PrototypeScenariosTest.check(rig, slow, 0);
            PrototypeScenariosTest.accounts(rig);
        }
    }

    @Test
    void aPolicyThatThrowsIsReplacedAndNoRequestIsLost() {
        class Throwing implements Agent {
            @Override
            public void reset(Enclave enclave) {}

            @Override
            public int doWork(Enclave enclave) {
                throw new IllegalStateException("no idea");
            }
        }
        try (Rig rig = rig(2, 3, Throwing::new)) {
            for (int i = 0; i < 30; i++) {
                PrototypeScenariosTest.check(rig, PrototypeScenariosTest.send(rig, i % 3, 1, 10), i % 3);
            }
            assertThat(scheduler.get().incidents()).hasSize(3).last().asString().contains("no idea")
                    .contains("the NIC's own takes its place");
            assertThat(rig.host.counters().get(Total.REFUSED)).isZero();
            PrototypeScenariosTest.accounts(rig);
        }
    }
}
