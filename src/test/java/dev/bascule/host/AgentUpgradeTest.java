package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.SuccessorState;
import dev.bascule.agent.Upgradable;
import dev.bascule.agent.region.Succession;
import dev.bascule.local.LocalProtocol;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that take over from others at work: what they know, what is lost on the way, and what happens if they fail. */
@Timeout(180)
class AgentUpgradeTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(1, 64);
    private static final long LIMIT_NANOS = 120_000_000_000L;
    private static final int JOBS = 30_000;
    private static final long INTERVAL_NANOS = 20_000;
    /** Nobody is silent for so long, on however busy a machine. */
    private static final LiveOptions OPTIONS = new LiveOptions(64, 1, JOBS, 200_000, 20_000_000_000L, true);
    private static final long PAUSE_NANOS = 1_000_000;

    @TempDir
    private Path directory;

    /** FIFO that counts how often its line of agents was upgraded. */
    private static class Counting implements Upgradable {
        private final FifoAgent fifo = new FifoAgent();
        volatile byte generation;

        @Override
        public byte[] snapshot() {
            return new byte[] { generation };
        }

        @Override
        public void restore(byte[] state) {
            generation = (byte) (state[0] + 1);
        }

        @Override
        public void reset(Enclave enclave) {
            fifo.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            return fifo.doWork(enclave);
        }
    }

    /** A host under load, whose agent is upgraded meanwhile. */
    private final class Upgraded implements AutoCloseable {
        final AtomicIntegerArray runs = new AtomicIntegerArray(JOBS);
        final Session session;
        final ThreadAgent agent;
        final LiveHost host;

        Upgraded(String transport, int cpus, Supplier<? extends Agent> policy) {
            session = KilledHost.session(transport, directory, false);
            MechanismEnd end = session.openHost(EnclaveShape.of(cpus, 64));
            agent = new ThreadAgent(session, policy, () -> IdleStrategy.spinThenYield(256));
            host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE), OPTIONS, agent,
                    (job, yield) -> runs.incrementAndGet(job));
            host.start();
            awaitAgent();
        }

        void awaitAgent() {
            while (!host.isAgentReady()) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }

        /** Upgrades and waits for the end of it. */
        Upgrade upgrade(Supplier<? extends Agent> policy) {
            int before = host.upgrades().size();
            agent.upgrade(policy);
            while (host.upgrades().size() == before) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return host.upgrades().getLast();
        }

        /** Serves everything, and meanwhile does something else; then each job has run once. */
        void serve(Runnable meanwhile) throws Exception {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    meanwhile.run();
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            assertThat(host.serve(JobSource.every(INTERVAL_NANOS, JOBS), LIMIT_NANOS)).as("%s", host.incidents())
                    .isTrue();
            other.join();
            assertThat(failure.get()).isNull();
            for (int job = 0; job < JOBS; job++) {
                assertThat(runs.get(job)).as("runs of job %d", job).isEqualTo(1);
            }
        }

        @Override
        public void close() {
            host.close();
            session.close();
        }
    }

    @ParameterizedTest
    @CsvSource({ "on-host,1", "wave,1", "swap,1", "on-host,4", "wave,4", "swap,4" })
    void upgradesUnderLoadLoseNothingAndKeepWhatThePolicyHasLearned(String transport, int cpus) throws Exception {
        int upgrades = 6;
        Counting[] made = new Counting[upgrades + 1];
        Arrays.setAll(made, i -> new Counting());
        try (Upgraded run = new Upgraded(transport, cpus, () -> made[0])) {
            run.serve(() -> {
                for (int i = 1; i <= upgrades; i++) {
                    Counting next = made[i];
                    assertThat(run.upgrade(() -> next).failure()).isNull();
                }
            });
            assertThat(made[upgrades].generation).isEqualTo((byte) upgrades);
            assertThat(run.host.incidents()).isEmpty();
            assertThat(run.host.counters().fences()).as("fences of bad agents").isZero();
            List<Upgrade> all = run.host.upgrades();
            assertThat(all).hasSize(upgrades).allSatisfy(upgrade -> {
                Upgrade.Steps steps = upgrade.steps();
                assertThat(steps).as("both run by one clock").isNotNull();
                assertThat(steps.fenceNanos() + steps.noticeNanos() + steps.attachNanos() + steps.roundNanos()
                        + steps.seenNanos()).as("the steps are the whole").isEqualTo(upgrade.gapNanos());
            });
            System.out.println("gaps over " + transport + ", " + cpus + " CPUs:");
            all.forEach(upgrade -> System.out.println("  " + upgrade.gapNanos() + " ns: " + upgrade.steps()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aSuccessorThatThrowsInRestoreLeavesTheOldAgentInPlace(String transport) throws Exception {
        Counting old = new Counting();
        try (Upgraded run = new Upgraded(transport, 1, () -> old)) {
            run.serve(() -> {
                Upgrade upgrade = run.upgrade(() -> new Counting() {
                    @Override
                    public void restore(byte[] state) {
                        throw new IllegalStateException("of another version");
                    }
                });
                assertThat(upgrade.failure()).contains("of another version");
                assertThat(upgrade.gapNanos()).as("the old agent went on without a break").isZero();
            });
            assertThat(run.host.isAgentReady()).isTrue();
            assertThat(run.host.counters().fences()).isZero();
            assertThat(run.host.incidents()).hasSize(1).first().asString().contains("upgrade failed")
                    .contains("of another version");
            assertThat(run.upgrade(Counting::new).failure()).as("the next one").isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aSuccessorThatThrowsOnceItHasTakenOverIsRecalledAndTheOldAgentGoesOn(String transport) throws Exception {
        Counting old = new Counting();
        try (Upgraded run = new Upgraded(transport, 1, () -> old)) {
            run.serve(() -> {
                Upgrade upgrade = run.upgrade(() -> new Counting() {
                    @Override
                    public void reset(Enclave enclave) {
                        throw new IllegalStateException("broken reset");
                    }
                });
                assertThat(upgrade.failure()).contains("broken reset");
                assertThat(upgrade.gapNanos()).isPositive();
                run.awaitAgent();
            });
            assertThat(run.host.incidents()).hasSize(1).first().asString().contains("upgrade failed")
                    .contains("broken reset");
            Counting next = new Counting();
            assertThat(run.upgrade(() -> next).failure()).isNull();
            assertThat(next.generation).as("upgraded from the first, which was recalled").isEqualTo((byte) 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anOldAgentThatThrowsInSnapshotGoesOn(String transport) throws Exception {
        try (Upgraded run = new Upgraded(transport, 1, () -> new Counting() {
            @Override
            public byte[] snapshot() {
                throw new IllegalStateException("no snapshot today");
            }
        })) {
            run.serve(() -> assertThat(run.upgrade(FifoAgent::new).failure()).contains("threw in snapshot"));
            assertThat(run.host.isAgentReady()).isTrue();
            assertThat(run.host.counters().fences()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aSuccessorTwoEpochsOldChangesNothing(String transport) {
        try (Session session = KilledHost.session(transport, directory, false);
                MechanismEnd host = session.openHost(SHAPE)) {
            AgentEnd first = session.attach(0);
            first.ready();
            Succession zombie = session.succeed(0);
            host.openEpoch(0);
            host.openEpoch(0); // the zombie's own bank again
            AgentEnd agent = session.attach(0);
            agent.ready();
            assertThatThrownBy(zombie::mayTakeOver).isInstanceOf(AgentException.class);
            assertThat(host.hasSuccessor(0)).isFalse();
            assertThat(agent.isStateWanted()).isFalse();
            assertThat(agent.successor()).isEqualTo(SuccessorState.NONE);
            zombie.close();
            assertThat(host.isReady(0)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aSecondSuccessorIsRefusedUntilTheFirstWithdraws(String transport) {
        try (Session session = KilledHost.session(transport, directory, false);
                MechanismEnd host = session.openHost(SHAPE)) {
            assertThatThrownBy(() -> session.succeed(0)).isInstanceOf(AgentException.class)
                    .hasMessageContaining("none is at work");
            AgentEnd agent = session.attach(0);
            agent.ready();
            try (Succession first = session.succeed(0)) {
                assertThat(first.isDue()).isFalse();
                assertThatThrownBy(() -> session.succeed(0)).isInstanceOf(AgentException.class)
                        .hasMessageContaining("another agent is about to");
            }
            assertThat(host.hasSuccessor(0)).isFalse();
            try (Succession second = session.succeed(0)) {
                second.mayTakeOver();
                assertThat(host.hasSuccessor(0)).isTrue();
            }
        }
    }

    @Test
    void anUpgradeIsRefusedWhileAnotherIsUnderWay() {
        ThreadAgent agent = new ThreadAgent(KilledHost.session("wave", directory, false), FifoAgent::new,
                IdleStrategy::spin);
        agent.upgrade(FifoAgent::new);
        assertThatThrownBy(() -> agent.upgrade(FifoAgent::new)).hasMessageContaining("another upgrade is under way");
        agent.close();
    }
}
