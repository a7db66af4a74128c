package dev.bascule.policy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.host.JobRunner;
import dev.bascule.host.JobSource;
import dev.bascule.host.LiveHost;
import dev.bascule.host.LiveOptions;
import dev.bascule.host.ThreadAgent;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.ring.Waiter;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** {@link PolicyBehaviour} on live threads, over coherent memory. The host never helps itself: its windows are wide. */
class LivePolicyTest extends PolicyBehaviour {
    private static final EnclaveShape SHAPE = new EnclaveShape(1, 64, 1, 1024, 1);
    private static final long LIMIT_NANOS = 60_000_000_000L;

    @Override
    Observed serve(Supplier<Agent> policy) throws Exception {
        AtomicIntegerArray runs = new AtomicIntegerArray(JOBS);
        AtomicInteger lastEnded = new AtomicInteger(-1);
        AtomicLong violations = new AtomicLong();
        AtomicLong byAgent = new AtomicLong();
        JobRunner runner = (job, yield) -> {
            long left = demandNanos(job);
            for (long last = System.nanoTime(); left > 0;) { // counts work, not time taken away
                Thread.onSpinWait();
                long now = System.nanoTime();
                left -= Math.min(now - last, 1_000);
                last = now;
                yield.maybeYield();
            }
            runs.incrementAndGet(job);
            if (lastEnded.getAndSet(job) > job) {
                violations.incrementAndGet();
            }
        };
        DecisionListener listener = (decision, outcome, now) -> byAgent
                .addAndGet(outcome == Outcome.COMPLETE ? 1 : 0);
        PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
        RegionHost end = LocalHost.open(memory, SHAPE, Waiter.NAPS);
        Mechanism mechanism = new Mechanism(end, System::nanoTime, listener);
        ThreadAgent agent = new ThreadAgent(
                () -> LocalAgent.attach(memory, 0, System.nanoTime(), Doorbell.NONE), policy, IdleStrategy::spin);
        LiveOptions options = new LiveOptions(48, 1, 100_000, LIMIT_NANOS, 2 * LIMIT_NANOS, true);
        LiveHost host = new LiveHost(end, mechanism, options, agent, runner);
        try (host) {
            host.start();
            while (!host.isAgentReady()) {
                Thread.onSpinWait();
            }
            host.serve(new Regular(), LIMIT_NANOS);
            long preemptions = host.counters().preemptions();
            return observed(runs, preemptions, byAgent.get(), violations.get());
        }
    }

    private static Observed observed(AtomicIntegerArray runs, long preemptions, long byAgent, long violations) {
        long done = 0;
        long twice = 0;
        for (int job = 0; job < JOBS; job++) {
            done += runs.get(job) > 0 ? 1 : 0;
            twice += runs.get(job) > 1 ? 1 : 0;
        }
        return new Observed(done, twice, preemptions, byAgent, violations);
    }

    private static final class Regular implements JobSource {
        private final long start = System.nanoTime();
        private int next;

        @Override
        public long nextDueNanos() {
            return next == JOBS ? NO_MORE : start + next * GAP_NANOS;
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
}
