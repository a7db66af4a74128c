package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AgentKeeperTest {
    private static final int ENOUGH = 100;

    private static final EnclaveShape SHAPE = new EnclaveShape(2, 8, 2, 32, 1);
    private static final LiveOptions OPTIONS = LiveOptions.of(1);

    private final PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
    private final MechanismEnd end = LocalHost.open(memory, SHAPE, Waiter.NAPS);
    private final Fake supervisor = new Fake();
    private final List<String> incidents = new CopyOnWriteArrayList<>();
    private final AgentKeeper keeper = keeper(supervisor);

    private AgentKeeper keeper(AgentSupervisor of) {
        return new AgentKeeper(end, 0, OPTIONS, of, incidents::add, upgrade -> {});
    }

    /** Counts what it is told. */
    private static final class Fake implements AgentSupervisor {
        private final AtomicInteger starts = new AtomicInteger();
        private final AtomicInteger kills = new AtomicInteger();
        private volatile CountDownLatch mayKill = new CountDownLatch(0);
        private volatile boolean broken;
        private volatile @Nullable AgentPlace place;
        private volatile boolean closed;
        private volatile boolean startedAfterClose;
        private volatile @Nullable String policyFailure;

        @Override
        public @Nullable String policyFailure() {
            return policyFailure;
        }

        @Override
        public void start() {
            if (broken) {
                throw new IllegalStateException("no such command; install it");
            }
            startedAfterClose |= closed;
            starts.incrementAndGet();
        }

        @Override
        public boolean hasExited() {
            return true;
        }

        @Override
        public void kill() {
            kills.incrementAndGet();
            try {
                mayKill.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public @Nullable AgentPlace whereabouts() {
            return place;
        }

        @Override
        public String exitReport() {
            return "";
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @AfterEach
    void close() {
        keeper.close();
        end.close();
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private void replace(int times, boolean lasted) {
        for (int i = 0; i < times && !keeper.hasGivenUp(); i++) {
            int before = supervisor.starts.get();
            keeper.order("gone", lasted);
            await(() -> supervisor.starts.get() > before || keeper.hasGivenUp());
        }
    }

    @Test
    void agentsThatLastAreReplacedAsOftenAsNeeded() {
        keeper.begin(0);
        replace(ENOUGH, true);
        assertThat(keeper.hasGivenUp()).isFalse();
        assertThat(supervisor.starts.get()).isEqualTo(ENOUGH + 1);
        assertThat(supervisor.kills.get()).as("never two at a time").isEqualTo(ENOUGH);
        assertThat(keeper.startLimitNanos()).isEqualTo(AgentSupervisor.START_LIMIT_NANOS);
    }

    @Test
    void whereAnAgentMayBeSilentForLongItsStartMayTakeLongerStill() {
        long minute = 60_000_000_000L;
        LiveOptions slow = new LiveOptions(1, 1, 1, minute, minute, false);
        try (AgentKeeper patient = new AgentKeeper(end, 0, slow, supervisor, incidents::add, upgrade -> {})) {
            assertThat(patient.startLimitNanos()).isEqualTo(3 * minute);
        }
    }

    @Test
    void anAgentThatTheMachineHadNoTimeForIsNoFailureOfItsPolicy() {
        keeper.begin(0);
        supervisor.place = new AgentPlace("in none of its code", true);
        replace(2, true);
        supervisor.place = new AgentPlace("at my.Loop.doWork (Loop.java:7)", false);
        replace(1, true);
        supervisor.place = null;
        replace(1, true);
        assertThat(keeper.pauses()).isEqualTo(2);
        assertThat(incidents).contains("in none of its code", "at my.Loop.doWork (Loop.java:7)");
    }

    @Test
    void agentsOfWhichNoneLastsAreGivenUp() {
        keeper.begin(0);
        replace(ENOUGH, false);
        assertThat(keeper.hasGivenUp()).isTrue();
        assertThat(supervisor.starts.get()).isLessThan(ENOUGH);
        assertThat(incidents).last().asString().contains("agents in a row did not last")
                .contains("built-in policy");
        assertThat(keeper.startLimitNanos()).as("nobody is late any more").isEqualTo(Long.MAX_VALUE);
        assertThat(keeper.hasExited()).as("nobody is watched any more").isFalse();
    }

    @Test
    void aPolicyThatFailsInTheSameWayAgainAndAgainIsGivenUpAlthoughEachOfItsAgentsLasted() {
        keeper.begin(0);
        for (int i = 0; i < 3; i++) {
            supervisor.policyFailure = "policy my.X threw IllegalStateException: job " + i
                    + " at my.X.pick (X.java:42)";
            replace(1, true);
        }
        supervisor.policyFailure = null; // killed from outside
        replace(1, true);
        assertThat(keeper.hasGivenUp()).isFalse();
        for (int i = 0; i < 3; i++) {
            supervisor.policyFailure = "policy my.X threw IllegalStateException: job " + i
                    + " at my.X.pick (X.java:42)";
            replace(1, true);
        }
        supervisor.policyFailure = "policy my.X threw ArithmeticException: / by zero at my.X.pick (X.java:7)";
        replace(1, true);
        assertThat(keeper.hasGivenUp()).as("not the same").isFalse();
        supervisor.place = new AgentPlace("the agent's policy was at my.X.doWork (X.java:12)", false, true);
        replace(SameFailures.MOST, true);
        assertThat(keeper.hasGivenUp()).isTrue();
        assertThat(incidents).last().asString().isEqualTo("agent 0 not restarted: its policy has failed in the"
                + " same way 4 times in a row; going on with the built-in policy");
    }

    @Test
    void anAgentThatIsStoppedBySignalsIsReplacedAsOftenAsNeeded() {
        keeper.begin(0);
        supervisor.place = new AgentPlace("agent process 7 was stopped by a signal", false);
        replace(ENOUGH, true);
        assertThat(keeper.hasGivenUp()).isFalse();
    }

    @Test
    void noAgentStartsOnceTheKeeperHasClosedAlthoughAKillTookLong() throws Exception {
        CountDownLatch mayKill = new CountDownLatch(1);
        supervisor.mayKill = mayKill;
        keeper.begin(0);
        keeper.order("gone", true);
        await(() -> supervisor.kills.get() == 1);
        keeper.close();
        assertThat(supervisor.closed).isTrue();
        mayKill.countDown();
        keeper.join();
        assertThat(supervisor.startedAfterClose).isFalse();
        assertThat(supervisor.starts.get()).isEqualTo(1);
    }

    /** At most one agent at a time, and none any more once it is closed. */
    private static final class Strict implements AgentSupervisor {
        private final AtomicInteger starts = new AtomicInteger();
        private final AtomicInteger kills = new AtomicInteger();
        private final SplittableRandom delays;
        private final AtomicReference<String> wrong = new AtomicReference<>();
        private volatile boolean alive;
        private volatile boolean closed;

        Strict(SplittableRandom delays) {
            this.delays = delays;
        }

        @Override
        public synchronized void start() {
            if (alive || closed) {
                wrong.set(closed ? "started after the close" : "two agents at a time");
            }
            spin(delays.nextInt(2000));
            alive = true;
            starts.incrementAndGet();
        }

        @Override
        public boolean hasExited() {
            return true;
        }

        @Override
        public synchronized void kill() {
            kills.incrementAndGet();
            spin(delays.nextInt(2000));
            alive = false;
        }

        @Override
        public String exitReport() {
            return "";
        }

        @Override
        public synchronized void close() {
            alive = false;
            closed = true;
        }
    }

    private static void spin(int turns) {
        for (int i = 0; i < turns; i++) {
            Thread.onSpinWait();
        }
    }

    @Test
    void anOrderIsNeverLostHoweverItFallsIntoTheLastOne() throws Exception {
        long seed = new SplittableRandom().nextLong();
        System.out.println("agent keeper: seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 100; round++) {
            Strict strict = new Strict(random.split());
            try (AgentKeeper busy = keeper(strict)) {
                busy.begin(0);
                Together together = new Together(2);
                for (int host = 0; host < 2; host++) {
                    SplittableRandom own = random.split();
                    together.start(() -> {
                        spin(own.nextInt(3000));
                        busy.order("gone", true);
                    });
                }
                together.join();
                int before = strict.kills.get();
                busy.order("gone again", true);
                await(() -> strict.kills.get() > before && strict.starts.get() > strict.kills.get());
                assertThat(strict.wrong.get()).as("seed " + seed + ", round " + round).isNull();
            }
        }
    }

    @Test
    void noAgentOutlivesTheCloseHoweverItFallsIntoAnOrder() throws Exception {
        long seed = new SplittableRandom().nextLong();
        System.out.println("agent keeper: seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 100; round++) {
            Strict strict = new Strict(random.split());
            AgentKeeper busy = keeper(strict);
            busy.begin(0);
            Together together = new Together(2);
            SplittableRandom cpu = random.split();
            together.start(() -> {
                spin(cpu.nextInt(3000));
                busy.order("gone", true);
            });
            SplittableRandom control = random.split();
            together.start(() -> {
                spin(control.nextInt(6000));
                busy.close();
            });
            together.join();
            busy.join();
            assertThat(strict.wrong.get()).as("seed " + seed + ", round " + round).isNull();
            assertThat(strict.alive).as("seed " + seed + ", round " + round).isFalse();
            assertThat(busy.hasExited()).as("nobody is watched any more").isFalse();
        }
    }

    @Test
    void oneThatLastsStartsTheCountAnew() {
        keeper.begin(0);
        for (int i = 0; i < 5; i++) {
            replace(10, false);
            replace(1, true);
        }
        assertThat(keeper.hasGivenUp()).isFalse();
    }

    @Test
    void anAgentThatCannotBeStartedAgainIsGivenUpWithTheReason() {
        keeper.begin(0);
        supervisor.broken = true;
        keeper.order("gone", true);
        await(keeper::hasGivenUp);
        await(() -> incidents.size() == 2);
        assertThat(incidents).last().asString().contains("not restarted: no such command; install it");
    }

    @Test
    void eachOfSeveralAgentsIsWatchedForItself() {
        try (AgentEnd first = LocalAgent.attach(memory, 0, 1, Doorbell.NONE);
                AgentEnd second = LocalAgent.attach(memory, 1, 1, Doorbell.NONE);
                AgentKeepers watch = new AgentKeepers(end, OPTIONS,
                        List.of(new ExternalAgent(), new ExternalAgent()))) {
            watch.begin(0);
            first.ready();
            assertThat(troubles(watch, 1)).containsOnlyNulls();
            assertThat(watch.isReady(0)).isTrue();
            assertThat(watch.areReady()).as("one is missing").isFalse();
            second.ready();
            for (int i = 0; i < Watchdog.WARM_DECISIONS; i++) {
                watch.decided(0);
                watch.decided(1);
            }
            assertThat(troubles(watch, 2)).containsOnlyNulls();
            assertThat(watch.areReady()).isTrue();
            first.heartbeat();
            long limit = OPTIONS.hardNanos();
            assertThat(troubles(watch, 100 * limit)).as("the host itself was frozen meanwhile").containsOnlyNulls();
            for (int look = 0; look < 3; look++) {
                first.heartbeat();
                assertThat(troubles(watch, 101 * limit + look * limit / 4)).containsOnlyNulls();
            }
            first.heartbeat();
            List<String> late = troubles(watch, 102 * limit);
            assertThat(late.get(0)).as("it beats").isNull();
            assertThat(late.get(1)).contains("agent 1 silent");
            watch.replace(1, late.get(1), 102 * limit + 1);
            assertThat(watch.isReady(1)).isFalse();
            assertThat(watch.isReady(0)).as("not touched").isTrue();
            assertThat(watch.fences()).isEqualTo(1);
            assertThat(watch.incidents()).containsExactly(late.get(1));
        }
    }

    private static List<String> troubles(AgentKeepers watch, long now) {
        return Arrays.asList(watch.trouble(0, now), watch.trouble(1, now));
    }

    @Test
    void everyAgentNeedsASupervisor() {
        assertThatThrownBy(() -> new AgentKeepers(end, OPTIONS, List.of(new ExternalAgent())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("live host: 1 supervisors, but the enclave has 2 agents; each needs one");
    }
}
