package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.local.LocalProtocol;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that go of their own accord: the host learns it from their word and not from their silence. */
@Timeout(120)
class AgentLeaveTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(1, 64);
    private static final long NO_LIMIT_NANOS = 600_000_000_000L;
    private static final int JOBS = 2_000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void theHostHearsThatAnAgentLeaves(String transport) {
        try (Session session = KilledHost.session(transport, directory, false);
                MechanismEnd host = session.openHost(SHAPE);
                AgentEnd agent = session.attach(0)) {
            agent.ready();
            assertThat(host.isReady(0)).isTrue();
            assertThat(host.hasLeft(0)).isFalse();
            agent.leave();
            assertThat(host.hasLeft(0)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aFencedAgentThatLeavesSaysNothingOfThoseAfterIt(String transport) {
        try (Session session = KilledHost.session(transport, directory, false);
                MechanismEnd host = session.openHost(SHAPE);
                AgentEnd zombie = session.attach(0)) {
            zombie.ready();
            for (int epochs = 0; epochs < 2; epochs++) { // the second is in the zombie's own bank
                host.openEpoch(0);
                try (AgentEnd agent = session.attach(0)) {
                    agent.ready();
                    zombie.leave();
                    assertThat(host.hasLeft(0)).isFalse();
                    assertThat(host.isReady(0)).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void theFallbackGoesOnAfterAnAgentLeftThoughNoLimitOfSilenceIsOver(String transport) throws Exception {
        AtomicIntegerArray runs = new AtomicIntegerArray(JOBS);
        AtomicBoolean stop = new AtomicBoolean();
        try (Session session = KilledHost.session(transport, directory, false)) {
            MechanismEnd end = session.openHost(SHAPE);
            LiveOptions options = new LiveOptions(32, 1, JOBS, 200_000, NO_LIMIT_NANOS, true);
            try (LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE), options,
                    new ExternalAgent(), (job, yield) -> runs.incrementAndGet(job))) {
                host.start();
                Thread agent = Thread.ofPlatform().start(() -> {
                    try (AgentEnd own = session.attach(0)) {
                        assertThat(new AgentLoop(new FifoAgent(), own, System::nanoTime)
                                .run(IdleStrategy.spinThenYield(256), stop::get)).isEqualTo(AgentLoop.Exit.STOPPED);
                    }
                });
                while (!host.isAgentReady()) {
                    LockSupport.parkNanos(1_000_000);
                }
                assertThat(host.serve(JobSource.every(0, JOBS), NO_LIMIT_NANOS)).isTrue();
                stop.set(true);
                agent.join();
                while (host.isAgentReady()) {
                    LockSupport.parkNanos(1_000_000);
                }
                long local = host.counters().localDecisions();
                assertThat(host.serve(JobSource.every(0, JOBS), NO_LIMIT_NANOS)).isTrue();
                assertThat(host.counters().localDecisions() - local).isGreaterThanOrEqualTo(JOBS);
                assertThat(host.incidents()).containsExactly("agent left");
            }
        }
        for (int job = 0; job < JOBS; job++) {
            assertThat(runs.get(job)).as("runs of job %d", job).isEqualTo(2);
        }
    }
}
