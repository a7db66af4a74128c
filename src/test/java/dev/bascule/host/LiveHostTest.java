package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.ring.Waiter;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
            awaitFences(host, 1);
            serveAll(host);
            assertThat(host.incidents()).anyMatch(incident -> incident.matches("(no decision|agent silent).* us"));
        }
    }

    @Test
    void aColdAgentThatIsSlowToBeginIsNotFenced() throws Exception {
        long hardNanos = 50_000_000;
        try (LiveHost host = host(() -> new SlowStarter(3 * hardNanos), (job, yield) -> runs.incrementAndGet(job),
                hardNanos)) {
            while (!host.isAgentReady()) {
                Thread.onSpinWait();
            }
            serveAll(host);
            assertThat(host.counters().fences()).as("fences: %s", host.incidents()).isZero();
        }
    }

    @Test
    void aSleepingHostDecidesByItselfAfterTheSoftWindowAndNotAfterManyNaps() throws Exception {
        LongAdder naps = new LongAdder();
        Waiter counting = timeoutNanos -> {
            naps.increment();
            LockSupport.parkNanos(timeoutNanos);
            return false;
        };
        RegionHost end = LocalHost.open(memory, SHAPE, counting);
        Mechanism mechanism = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        LiveOptions options = new LiveOptions(32, 1, 100_000, 200_000, LIMIT_NANOS, false);
        try (LiveHost host = new LiveHost(end, mechanism, options, agent(Idler::new),
                (job, yield) -> runs.incrementAndGet(job))) {
            host.start();
            while (!host.isAgentReady()) {
                Thread.onSpinWait();
            }
            naps.reset();
            serveAll(host);
            assertThat(host.counters().localDecisions()).isEqualTo(runs.length());
            assertThat(naps.sum()).as("naps for %d decisions", runs.length()).isLessThan(10L * runs.length());
        }
    }

    @Test
    void anAgentThatNeverGetsReadyIsReplacedAndNoJobIsLost() throws Exception {
        int[] agents = new int[1];
        Supplier<Agent> policies = () -> agents[0]++ == 0 ? new Sleeper() : new FifoAgent();
        AgentSupervisor impatient = new Impatient(agent(policies));
        try (LiveHost host = host(impatient, (job, yield) -> runs.incrementAndGet(job), 20_000_000)) {
            serveAll(host);
            awaitFences(host, 1);
            assertThat(host.incidents().get(0)).contains("agent not ready within 0 s of its start");
            serveAll(host);
        }
    }

    @Test
    @Tag("process")
    void anAgentWhoseProgramIsGoneIsReportedAndTheHostGoesOnAlone(@TempDir Path folder) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = List.of(java, "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp",
                folder.resolve("bascule.jar").toString(), "dev.bascule.cli.Main", "agent");
        AgentProcess missing = new AgentProcess(command, folder.resolve("agent.log"));
        try (LiveHost host = host(missing, (job, yield) -> runs.incrementAndGet(job), 20_000_000)) {
            awaitFences(host, 1);
            serveAll(host);
            assertThat(host.incidents().get(0)).contains("exit status 1").contains("Could not find or load main class")
                    .contains("scripts/run --set-up");
        }
    }

    private static void awaitFences(LiveHost host, long count) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (host.counters().fences() < count) {
            assertThat(System.nanoTime()).as("fenced: %s", host.incidents()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
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
        return host(agent(policy), runner, hardNanos);
    }

    private ThreadAgent agent(Supplier<? extends Agent> policy) {
        return new ThreadAgent(() -> LocalAgent.attach(memory, 0, System.nanoTime(), Doorbell.NONE), policy,
                IdleStrategy::spin);
    }

    private LiveHost host(AgentSupervisor agent, JobRunner runner, long hardNanos) {
        RegionHost end = LocalHost.open(memory, SHAPE, Waiter.NAPS);
        Mechanism mechanism = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        LiveOptions options = new LiveOptions(32, 1, 100_000, 200_000, hardNanos, true);
        LiveHost host = new LiveHost(end, mechanism, options, agent, runner);
        host.start();
        return host;
    }

    private void serveAll(LiveHost host) throws InterruptedException {
        for (int job = 0; job < runs.length(); job++) {
            runs.set(job, 0);
        }
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

    /** Alive, but decides nothing. */
    private static final class Idler implements Agent {
        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            return 0;
        }
    }

    /** Hangs before it is ready. */
    private static final class Sleeper implements Agent {
        @Override
        public void reset(Enclave enclave) {
            while (!released) {
                Thread.onSpinWait();
            }
        }

        @Override
        public int doWork(Enclave enclave) {
            return 0;
        }
    }

    /** Ready at once, but takes its time before the first decision. */
    private static final class SlowStarter implements Agent {
        private final FifoAgent fifo = new FifoAgent();
        private final long pauseNanos;
        private int rounds;

        SlowStarter(long pauseNanos) {
            this.pauseNanos = pauseNanos;
        }

        @Override
        public void reset(Enclave enclave) {
            fifo.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            long until = System.nanoTime() + (rounds++ == 1 ? pauseNanos : 0);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            return fifo.doWork(enclave);
        }
    }

    /** Gives an agent 50 ms to get ready. */
    private record Impatient(AgentSupervisor agent) implements AgentSupervisor {
        @Override
        public void start() {
            agent.start();
        }

        @Override
        public boolean hasExited() {
            return agent.hasExited();
        }

        @Override
        public void kill() {
            agent.kill();
        }

        @Override
        public long startLimitNanos() {
            return 50_000_000;
        }

        @Override
        public String exitReport() {
            return agent.exitReport();
        }

        @Override
        public void close() {
            agent.close();
        }
    }
}
