package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.ring.Waiter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads outside of the host take its lock too, as who reads its counters does. A CPU that they woke stood behind those
 * that kept their carriers busy by yielding to each other, for ever, with the end of its task untold.
 */
class OutsideThreadTest {
    private static final int JOBS = 5_000;
    private static final long LIMIT_NANOS = 60_000_000_000L;

    @ParameterizedTest
    @ValueSource(ints = { 2, 3, 4, 8 })
    void whoReadsTheCountersAllTheTimeHoldsNoJobUp(int cpus) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        EnclaveShape shape = new EnclaveShape(cpus, 64, 1, 256, 1);
        PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(shape));
        RegionHost end = LocalHost.open(memory, shape, Waiter.NAPS);
        Mechanism mechanism = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        LiveOptions options = new LiveOptions(32, 1, 100_000, 200_000, LIMIT_NANOS, true);
        ThreadAgent agent = new ThreadAgent(() -> LocalAgent.attach(memory, 0, System.nanoTime(), Doorbell.NONE),
                FifoAgent::new, () -> IdleStrategy.spinThenYield(64));
        AtomicBoolean stop = new AtomicBoolean();
        try (LiveHost host = new LiveHost(end, mechanism, options, agent, (job, yield) -> runs.incrementAndGet())) {
            host.start();
            Thread reader = Thread.ofPlatform().start(() -> {
                while (!stop.get()) {
                    host.counters();
                }
            });
            try {
                assertThat(host.serve(JobSource.every(0, JOBS), LIMIT_NANOS)).as("%d of %d served", runs.get(), JOBS)
                        .isTrue();
            } finally {
                stop.set(true);
                reader.join();
            }
        }
        assertThat(runs).hasValue(JOBS);
    }
}
