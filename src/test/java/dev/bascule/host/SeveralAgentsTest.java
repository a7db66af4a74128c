package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Outcome;
import dev.bascule.local.LocalProtocol;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.PerCpuFifoAgent;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.swap.SwapMode;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several agents of one live host, each a thread: they work, fail and are replaced one by one. */
class SeveralAgentsTest {
    private static final long LIMIT_NANOS = 60_000_000_000L;
    private static final int JOBS = 4000;
    private static final int WORKERS = 32;

    @TempDir
    private Path directory;

    private final AtomicIntegerArray runs = new AtomicIntegerArray(JOBS);
    private AtomicLongArray decided = new AtomicLongArray(0);
    private EnclaveShape shape = EnclaveShape.of(1, 1);

    private Session session(String name) {
        return switch (name) {
            case LocalProtocol.NAME -> Session.onHost(directory, false);
            case WaveProtocol.NAME -> Session.wave(directory, LinkSetup.DEFAULT, false);
            default ->
                Session.swap(directory, LinkSetup.DEFAULT.withMode(SwapMode.of(name)), false);
        };
    }

    private LiveHost host(Session session, MechanismEnd end, List<Supplier<Agent>> policies) {
        decided = new AtomicLongArray(shape.agents());
        DecisionListener counting = (decision, outcome, nanos) -> {
            if (outcome == Outcome.COMPLETE && decision.task() < shape.tasks()) {
                decided.incrementAndGet(shape.agentOf(decision.slotCpu()));
            }
        };
        List<ThreadAgent> agents = IntStream.range(0, shape.agents()).mapToObj(
                agent -> new ThreadAgent(session, agent, policies.get(agent), () -> IdleStrategy.spinThenYield(64)))
                .toList();
        return new LiveHost(end, new Mechanism(end, System::nanoTime, counting),
                new LiveOptions(WORKERS, 1, 100_000, LIMIT_NANOS, LIMIT_NANOS, true), agents,
                (job, yield) -> runs.incrementAndGet(job));
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited in vain").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static void serveAll(LiveHost host) throws InterruptedException {
        assertThat(host.serve(new PacedJobs(2_000, JOBS), LIMIT_NANOS)).isTrue();
    }

    private void allRan(int times) {
        for (int job = 0; job < JOBS; job++) {
            assertThat(runs.get(job)).as("runs of job %d", job).isEqualTo(times);
        }
    }

    @ParameterizedTest
    @CsvSource({ "on-host,1,1", "on-host,2,2", "on-host,8,4", "on-host,8,3", "wave,2,2", "wave,8,4", "swap0,8,4",
            "swap1,4,4", "swap1,8,4" })
    void jobsRunOnceAndEveryAgentDecidesSome(String transport, int cpus, int agents) throws Exception {
        shape = new EnclaveShape(cpus, 64, agents, 256, 1);
        try (Session session = session(transport);
                LiveHost host = host(session, session.openHost(shape),
                        IntStream.range(0, agents).<Supplier<Agent>>mapToObj(
                                agent -> agent % 2 == 0 ? FifoAgent::new : PerCpuFifoAgent::new).toList())) {
            host.start();
            await(host::isAgentReady);
            serveAll(host);
            allRan(1);
            assertThat(host.incidents()).isEmpty();
            assertThat(host.counters().localDecisions()).as("decisions of the host").isZero();
            for (int agent = 0; agent < agents; agent++) {
                assertThat(decided.get(agent)).as("decisions of agent %d", agent).isPositive();
            }
        }
    }

    /** Fails in its first round after it is told to. */
    private static final class Failing implements Agent {
        private final FifoAgent policy = new FifoAgent();
        private volatile boolean failing;

        @Override
        public void reset(Enclave enclave) {
            policy.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            if (failing) {
                throw new IllegalStateException("told to");
            }
            return policy.doWork(enclave);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, "swap0", "swap1" })
    void oneAgentThatFailsIsFencedAndReplacedAlone(String transport) throws Exception {
        shape = new EnclaveShape(8, 64, 4, 256, 1);
        Failing broken = new Failing();
        int[] made = new int[1];
        Supplier<Agent> policy = () -> made[0]++ == 0 ? broken : new FifoAgent();
        try (Session session = session(transport)) {
            MechanismEnd end = session.openHost(shape);
            try (LiveHost host = host(session, end,
                    List.of(FifoAgent::new, FifoAgent::new, policy, FifoAgent::new))) {
                host.start();
                await(host::isAgentReady);
                serveAll(host);
                broken.failing = true;
                await(() -> host.counters().fences() == 1);
                assertThat(host.isAgentReady(0) && host.isAgentReady(1) && host.isAgentReady(3)).isTrue();
                serveAll(host);
                await(host::isAgentReady);
                allRan(2);
                assertThat(host.incidents()).singleElement().asString().startsWith("agent 2 ended: ")
                        .contains("told to");
                assertThat(IntStream.range(0, 4).map(end::epoch)).as("epochs").containsExactly(1, 1, 2, 1);
            }
        }
    }
}
