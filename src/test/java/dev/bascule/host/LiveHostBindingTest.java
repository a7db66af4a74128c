package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Topology;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.ffi.Affinity;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Emulated CPUs that are CPUs of this machine. */
class LiveHostBindingTest {
    private static final int JOBS = 400;
    private static final long LIMIT_NANOS = 60_000_000_000L;
    private static final long QUANTUM_NANOS = 50_000;

    private final BitSet allowed = Affinity.current();
    private final List<Integer> cpus = allowed.stream().boxed().toList().reversed().subList(0,
            Math.min(2, allowed.cardinality()));

    @BeforeEach
    void twoCpusAndTheirCarriers() {
        Assumptions.assumeTrue(cpus.size() == 2 && carriers() >= 2, "one CPU, or one carrier");
    }

    private static int carriers() {
        return Integer.getInteger("jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
    }

    /** The carriers are this JVM's and serve other tests. */
    @AfterEach
    void freeTheCarriers() throws InterruptedException {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 64 * carriers(); i++) {
            all.add(Thread.startVirtualThread(() -> {
                Affinity.set(allowed);
                for (long until = System.nanoTime() + 200_000; System.nanoTime() < until;) {
                    Thread.onSpinWait();
                }
            }));
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    @Test
    void whatIsDecidedForACpuRunsThereAlsoAfterItGaveWay() throws Exception {
        EnclaveShape shape = new EnclaveShape(2, 64, 1, 256, 1, new Topology(2, 2, 1));
        AtomicReference<Topology> seen = new AtomicReference<>();
        LongAdder astray = new LongAdder();
        LongAdder looks = new LongAdder();
        AtomicIntegerArray ran = new AtomicIntegerArray(2); // no lock: who waits for one may go on elsewhere
        JobRunner runner = (job, yield) -> {
            for (int round = 0; round < 4; round++) {
                int on = ((LiveTask) yield).cpuId();
                int real = Affinity.cpu();
                looks.increment();
                if (real == cpus.get(on)) {
                    ran.incrementAndGet(on);
                } else {
                    astray.increment();
                }
                for (long until = System.nanoTime() + QUANTUM_NANOS; System.nanoTime() < until;) {
                    Thread.onSpinWait();
                }
                yield.maybeYield();
            }
        };
        PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(shape));
        RegionHost end = LocalHost.open(memory, shape, Waiter.NAPS);
        Mechanism mechanism = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        ThreadAgent agent = new ThreadAgent(() -> LocalAgent.attach(memory, 0, System.nanoTime(), Doorbell.NONE),
                () -> new Seer(seen), () -> IdleStrategy.spinThenYield(64));
        try (LiveHost host = new LiveHost(end, mechanism,
                new LiveOptions(32, 2, 100_000, 200_000, LIMIT_NANOS, true), agent, runner)) {
            host.bindTo(cpus);
            host.start();
            assertThat(host.serve(JobSource.every(10_000, JOBS), LIMIT_NANOS)).isTrue();
        }
        assertThat(looks.sum()).isEqualTo(4 * JOBS);
        assertThat(astray.sum()).as("looks at a CPU that was another than the one decided on").isZero();
        assertThat(Math.min(ran.get(0), ran.get(1))).as("rounds on each of them").isPositive();
        assertThat(seen.get()).as("what the agent sees").isEqualTo(new Topology(2, 2, 1));
    }

    @Test
    void asManyCpusAsTheHostHasAndOnesThatAreThere() {
        EnclaveShape shape = EnclaveShape.of(2, 64);
        PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(shape));
        RegionHost end = LocalHost.open(memory, shape, Waiter.NAPS);
        Mechanism mechanism = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        ThreadAgent agent = new ThreadAgent(() -> LocalAgent.attach(memory, 0, System.nanoTime(), Doorbell.NONE),
                () -> new RoundRobinAgent(QUANTUM_NANOS), IdleStrategy::spin); // is not started
        LiveHost host = new LiveHost(end, mechanism, LiveOptions.of(2), agent, (job, yield) -> {});
        assertThatThrownBy(() -> host.bindTo(List.of(0))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bind 2 emulated CPUs");
        assertThatThrownBy(() -> host.bindTo(List.of(cpus.getFirst(), 8000)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("this thread may use " + allowed);
    }

    /** A policy that says what topology it is given. */
    private static final class Seer implements Agent {
        private final Agent policy = new RoundRobinAgent(QUANTUM_NANOS);
        private final AtomicReference<Topology> seen;

        Seer(AtomicReference<Topology> seen) {
            this.seen = seen;
        }

        @Override
        public void reset(Enclave enclave) {
            seen.set(enclave.shape().topology());
            policy.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            return policy.doWork(enclave);
        }
    }
}
