package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.ring.Waiter;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A task is handed from CPU to CPU and to its own thread and back: what one of them wrote the next one sees, without any
 * volatile of the job's own.
 */
class LiveTaskTest {
    private static final int JOBS = 200;
    private static final int ROUNDS = 100;
    private static final long SLICE_NANOS = 2_000;
    private static final long LIMIT_NANOS = 120_000_000_000L;

    /** Plain fields on purpose: the hand-over alone orders them. */
    private static final class Job {
        private int rounds;
        private int moves;
        private int cpu = -1;
        private boolean runs;
        private boolean ended;
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4, 8 })
    void aJobSeesWhatItWroteOnTheCpuBeforeAndRunsOnOneAtATime(int cpus) throws Exception {
        Job[] jobs = new Job[JOBS];
        for (int i = 0; i < JOBS; i++) {
            jobs[i] = new Job();
        }
        AtomicReference<AssertionError> failure = new AtomicReference<>();
        EnclaveShape shape = new EnclaveShape(cpus, 64, 1, 256, 1);
        PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(shape));
        RegionHost end = LocalHost.open(memory, shape, Waiter.NAPS);
        Mechanism mechanism = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        LiveOptions options = new LiveOptions(32, 1, 100_000, 200_000, LIMIT_NANOS, true);
        ThreadAgent agent = new ThreadAgent(() -> LocalAgent.attach(memory, 0, System.nanoTime(), Doorbell.NONE),
                () -> new RoundRobinAgent(SLICE_NANOS), () -> IdleStrategy.spinThenYield(64));
        long preemptions;
        try (LiveHost host = new LiveHost(end, mechanism, options, agent, (job, yield) -> {
            try {
                work(jobs[job], yield);
            } catch (AssertionError e) {
                failure.compareAndSet(null, e);
            }
        })) {
            host.start();
            assertThat(host.serve(JobSource.every(0, JOBS), LIMIT_NANOS)).as("served, %s", host.incidents()).isTrue();
            preemptions = host.counters().preemptions();
        }
        assertThat(failure.get()).isNull();
        BitSet unfinished = new BitSet();
        int moves = 0;
        for (int i = 0; i < JOBS; i++) {
            unfinished.set(i, jobs[i].rounds != ROUNDS || !jobs[i].ended);
            moves += jobs[i].moves;
        }
        assertThat(unfinished.stream()).as("jobs that did not run to their end, once").isEmpty();
        assertThat(preemptions).isPositive();
        assertThat(moves > 0).as("jobs moved from CPU to CPU").isEqualTo(cpus > 1);
    }

    private static void work(Job job, YieldPoint yield) {
        assertThat(job.ended).as("runs again").isFalse();
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(job.runs).as("runs elsewhere").isFalse();
            job.runs = true;
            assertThat(job.rounds).isEqualTo(round);
            job.rounds++;
            int cpu = ((LiveTask) yield).cpuId();
            job.moves += job.cpu >= 0 && job.cpu != cpu ? 1 : 0;
            job.cpu = cpu;
            spin();
            job.runs = false;
            yield.maybeYield();
        }
        job.ended = true;
    }

    private static void spin() {
        for (int i = 0; i < 100; i++) {
            Thread.onSpinWait();
        }
    }
}
