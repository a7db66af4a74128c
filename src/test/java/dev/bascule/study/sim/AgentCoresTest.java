package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that share a core: what one of them does wrong takes it from the others for no longer than it would. */
class AgentCoresTest {
    private static final JobMix EXPONENTIAL = JobMix.one("exp", "exponential", ServiceTime.exponential(10_000));
    private static final long BROKEN_NANOS = 1_200_000;
    private static final long FENCED_NANOS = 2_000_000; // the housekeeping that sees it

    /** FIFO that ends in the middle of a round, if it is the broken one, and counts its rounds that found work. */
    private static final class Counted implements Agent {
        private final FifoAgent good = new FifoAgent();
        private final boolean throwsOnce;
        private final boolean loops;
        private int beforeTheFence;
        private int afterwards;

        Counted(boolean throwsOnce, boolean loops) {
            this.throwsOnce = throwsOnce;
            this.loops = loops;
        }

        @Override
        public void reset(Enclave enclave) {
            good.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            long began = enclave.now();
            int work = good.doWork(enclave);
            if (began > BROKEN_NANOS && throwsOnce) {
                throw new IllegalStateException("broken in the middle of a round");
            }
            while (began > BROKEN_NANOS && loops) {
                enclave.peek();
            }
            beforeTheFence += work > 0 && began > BROKEN_NANOS && began < FENCED_NANOS ? 1 : 0;
            afterwards += work > 0 && began >= FENCED_NANOS ? 1 : 0;
            return work;
        }
    }

    private static SimResult run(SimOptions options, String transport, List<SimFault> faults, Supplier<Agent> policy) {
        return SimHost.run(SimSetup.of(options, SimTransports.named(transport), CostProfiles.load("published"))
                .withFaults(faults), policy,
                OpenLoad.blind(EXPONENTIAL, EXPONENTIAL.capacityPerSecond(options.cpus()) * 0.3, 3));
    }

    private static SimOptions options(int cpus) {
        return SimOptions.of(cpus, 100_000_000).withWorkers(64, 1 << 16);
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void oneThatThrowsInTheMiddleOfARoundGivesItsCoreToTheOthers(String transport) {
        Counted[] made = new Counted[8];
        int[] next = new int[1];
        SimResult result = run(options(4).withPerCpuAgents(1), transport, List.of(),
                () -> made[next[0]] = new Counted(next[0]++ == 1, false));
        assertThat(next[0]).as("four agents, and four after the fence").isEqualTo(8);
        assertThat(made[0].beforeTheFence).as("rounds of another one until the fence").isPositive();
        assertThat(made[4].afterwards + made[5].afterwards).as("rounds of the new ones").isGreaterThan(100);
        assertThat(result.incidents()).singleElement().asString().contains("broken in the middle of a round");
        assertThat(result.littleErrorNanos()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void whoReplacesABrokenOneDecides(boolean throwsOnce) {
        Counted[] made = new Counted[2];
        int[] next = new int[1];
        SimResult result = run(options(4), "wave", List.of(),
                () -> made[next[0]] = new Counted(next[0] == 0 && throwsOnce, next[0]++ == 0 && !throwsOnce));
        assertThat(result.decisions().restarts()).isEqualTo(1);
        assertThat(made[1].afterwards).as("rounds of the new one").isGreaterThan(100);
    }

    /** Those that wait for the core when the pause begins would hold back who comes after it. */
    @ParameterizedTest
    @CsvSource({ "on-host,0", "on-host,2000000", "on-host,40000000", "wave,0", "wave,40000000", "wave-push,0",
            "swap1,0" })
    void afterAKillOrAPauseTheAgentsDecideAgain(String transport, long pauseNanos) {
        Counted[] made = new Counted[8];
        int[] next = new int[1];
        SimResult result = run(options(4).withPerCpuAgents(1), transport,
                List.of(new SimFault(20_000_000, pauseNanos)), () -> made[next[0]++] = new Counted(false, false));
        assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived());
        int rounds = 0;
        for (int agent = next[0] - 4; agent < next[0]; agent++) {
            rounds += made[agent].afterwards;
        }
        assertThat(rounds).as("rounds of those that are there at the end").isGreaterThan(1_000);
    }
}
