package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.ring.Waiter;
import dev.bascule.memory.PinnedMemory;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LiveHostTest {
    private static final EnclaveShape SHAPE = new EnclaveShape(1, 64, 1, 256, 1);
    private static final long LIMIT_NANOS = 60_000_000_000L;

    private static volatile boolean released;

    private final Arena arena = Arena.ofShared();
    private final PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
    private final AtomicIntegerArray runs = new AtomicIntegerArray(5000);

    @AfterEach
    void close() {
        released = true;
        arena.close();
    }

    @Test
    void everyJobRunsExactlyOnceUnderAnAgent() throws Exception {
        try (LiveHost host = host(FifoAgent::new, (job, yield) -> runs.incrementAndGet(job), LIMIT_NANOS)) {
            serveAll(host);
            assertThat(host.counters().fences()).isZero();
            assertThat(host.incidents()).isEmpty();
        }
    }

    @Test
    void longJobsGiveWayWhenTheirSliceIsOver() throws Exception {
        JobRunner spinning = (job, yield) -> {
            long until = System.nanoTime() + (job % 50 == 0 ? 500_000 : 2_000);
            while (System.nanoTime() < until) {
                yield.maybeYield();
            }
            runs.incrementAndGet(job);
        };
        try (LiveHost host = host(() -> new RoundRobinAgent(50_000), spinning)) {
            serveAll(host);
            assertThat(host.counters().preemptions()).isPositive();
        }
    }

    @Test
    void aPolicyThatThrowsIsReplacedAndNoJobIsLost() throws Exception {
        int[] agents = new int[1];
        Supplier<Agent> policies = () -> agents[0]++ < 3 ? new Thrower() : new FifoAgent();
        try (LiveHost host = host(policies, (job, yield) -> runs.incrementAndGet(job))) {
            serveAll(host);
            assertThat(host.incidents()).anyMatch(incident -> incident.contains("broken policy"));
        }
    }

    @Test
    void aPolicyThatHangsIsFencedAndNoJobIsLost() throws Exception {
        int[] agents = new int[1];
        Supplier<Agent> policies = () -> agents[0]++ == 0 ? new Hanger() : new FifoAgent();
        try (LiveHost host = host(policies, (job, yield) -> runs.incrementAndGet(job))) {
            while (!host.isAgentReady()) {
                Thread.onSpinWait();
            }
            serveAll(host);
            assertThat(host.counters().fences()).isPositive();
        }
    }

    @Test
    void jobsRunWithoutAnyAgent() throws Exception {
        try (LiveHost host = host(Hanger::new, (job, yield) -> runs.incrementAndGet(job))) {
            serveAll(host);
            assertThat(host.counters().localDecisions()).isPositive();
        }
    }

    @BeforeEach
    void holdHangers() {
        released = false;
    }

    private LiveHost host(Supplier<? extends Agent> policy, JobRunner runner) {
        return host(policy, runner, 20_000_000);
    }

    private LiveHost host(Supplier<? extends Agent> policy, JobRunner runner, long hardNanos) {
        LocalHost end = new LocalHost(memory, SHAPE, Waiter.NAPS);
        Mechanism mechanism = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        ThreadAgent agent = new ThreadAgent(() -> new LocalAgent(memory, 0, System.nanoTime(), Doorbell.NONE), policy,
                IdleStrategy::spin);
        LiveOptions options = new LiveOptions(32, 1, 100_000, 200_000, hardNanos, true);
        LiveHost host = new LiveHost(end, mechanism, options, agent, runner);
        host.start();
        return host;
    }

    private void serveAll(LiveHost host) throws InterruptedException {
        assertThat(host.serve(new EveryTenMicros(runs.length()), LIMIT_NANOS)).isTrue();
        for (int job = 0; job < runs.length(); job++) {
            assertThat(runs.get(job)).as("runs of job %d", job).isEqualTo(1);
        }
    }

    private static final class EveryTenMicros implements JobSource {
        private final int count;
        private final long start = System.nanoTime();
        private int next;

        EveryTenMicros(int count) {
            this.count = count;
        }

        @Override
        public long nextDueNanos() {
            return next == count ? NO_MORE : start + next * 10_000L;
        }

        @Override
        public int take() {
            return next++;
        }

        @Override
        public void rejected(int job) {
            throw new AssertionError("no job may be refused: " + job);
        }
    }

    private static final class Thrower implements Agent {
        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            throw new IllegalStateException("broken policy");
        }
    }

    private static final class Hanger implements Agent {
        private boolean first = true;

        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            while (!first && !released) {
                Thread.onSpinWait();
            }
            first = false;
            return 0;
        }
    }
}
