package dev.bascule.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * What FIFO and Shinjuku must do on any host. One subclass runs it in virtual time, another on live threads, with the
 * very same classes of policies.
 */
abstract class PolicyBehaviour {
    static final int JOBS = 2_000;
    static final long SHORT_NANOS = 2_000;
    static final long LONG_NANOS = 400_000;
    static final int LONG_EVERY = 50;
    static final long GAP_NANOS = 25_000;
    static final long QUANTUM_NANOS = 20_000;

    /** What a host reports after it has served {@link #JOBS} jobs, one every {@link #GAP_NANOS}. */
    record Observed(long done, long doneTwice, long preemptions, long byAgent, long inOrderViolations) {}

    abstract Observed serve(Supplier<Agent> policy) throws Exception;

    static long demandNanos(int job) {
        return job % LONG_EVERY == 0 ? LONG_NANOS : SHORT_NANOS;
    }

    @Test
    void fifoServesEveryJobOnceWithoutPreemptionInOrder() throws Exception {
        Observed seen = serve(FifoAgent::new);
        assertThat(seen.done()).isEqualTo(JOBS);
        assertThat(seen.doneTwice()).isZero();
        assertThat(seen.preemptions()).isZero();
        assertThat(seen.inOrderViolations()).as("jobs that overtook an earlier one").isZero();
    }

    @Test
    void shinjukuServesEveryJobOnceAndShortOnesOvertakeLongOnes() throws Exception {
        Observed seen = serve(() -> new ShinjukuAgent(QUANTUM_NANOS));
        assertThat(seen.done()).isEqualTo(JOBS);
        assertThat(seen.doneTwice()).isZero();
        assertThat(seen.preemptions()).isPositive();
        assertThat(seen.inOrderViolations()).as("jobs that overtook an earlier one").isPositive();
    }

    @Test
    void theAgentDecidesNotTheHost() throws Exception {
        assertThat(serve(FifoAgent::new).byAgent()).isGreaterThan(JOBS / 2);
    }
}
