package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Enclaves of thousands of CPUs, and several agents in one, each on a core of its own. */
class SimManyCpusTest {
    private static final CostProfile PUBLISHED = CostProfiles.load("published");

    /** The round that a run ends in counts as a whole. */
    private static final long LAST_ROUND_NANOS = 200_000;

    private static SimResult run(SimOptions options, String transport, CostProfile costs, JobMix mix, double part) {
        return SimHost.run(SimSetup.of(options, SimTransports.named(transport), costs), FifoAgent::new,
                OpenLoad.blind(mix, mix.capacityPerSecond(options.cpus()) * part, 5));
    }

    /** Every CPU gets work: more jobs than CPUs are there at once. */
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "wave-push", "swap1" }) // swap0 takes half a minute
    void anEnclaveMayHave4096Cpus(String transport) {
        int cpus = EnclaveShape.MAX_CPUS;
        JobMix mix = JobMix.one("long", "longer than the start takes", ServiceTime.fixed(2_000_000));
        SimOptions options = SimOptions.of(cpus, 4_000_000).withWorkers(2 * cpus, 1 << 20).withAgents(64)
                .withPhases(1, 40_000_000);
        SimTrace trace = new SimTrace(1 << 20);
        SimResult result = SimHost.run(SimSetup.of(options, SimTransports.named(transport), PUBLISHED), FifoAgent::new,
                OpenLoad.blind(mix, mix.capacityPerSecond(cpus) * 1.2, 5), trace);
        assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived()).isGreaterThan(cpus);
        assertThat(result.littleErrorNanos()).isZero();
        assertThat(result.incidents()).isEmpty();
        boolean[] ran = new boolean[cpus];
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i) == SimTrace.Kind.RUNS) {
                ran[trace.cpu(i)] = true;
            }
        }
        for (int cpu = 0; cpu < cpus; cpu++) {
            assertThat(ran[cpu]).as("CPU %d ran something", cpu).isTrue();
        }
    }

    @Test
    void oneMoreIsRefused() {
        assertThatThrownBy(() -> SimOptions.of(EnclaveShape.MAX_CPUS + 1, 1_000_000))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("4097, must be 1 to 4096");
        assertThatThrownBy(() -> SimOptions.of(4, 1_000_000).withAgents(5))
                .hasMessageContaining("agents is 5, must be 1 to 4");
    }

    /** One core cannot decide for all; four in the same enclave decide as much as four cores can. */
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void agentsOnCoresOfTheirOwnDecideAtTheSameTime(String transport) {
        JobMix mix = JobMix.one("10 us", "exponential", ServiceTime.exponential(10_000));
        CostProfile slow = PUBLISHED.with("hostAgent.decision", 4_000, "of the test").with("nicAgent.decision", 4_000,
                "of the test");
        SimOptions options = SimOptions.of(32, 20_000_000).withWorkers(256, 1 << 18).withPhases(4_000_000, 1);
        SimResult one = run(options, transport, slow, mix, 1.2);
        SimResult four = run(options.withAgents(4), transport, slow, mix, 1.2);
        assertThat(one.decidedPerSecond()).as("a decision takes 4 us").isLessThan(250_000);
        assertThat(four.decidedPerSecond()).isBetween(3.5 * one.decidedPerSecond(), 4.2 * one.decidedPerSecond());
        assertThat(four.time().agentBusy()).as("of four cores").isBetween(3 * four.lastNanos(),
                4 * four.lastNanos() + 4 * LAST_ROUND_NANOS);
        assertThat(one.time().agentBusy()).isLessThanOrEqualTo(one.lastNanos() + LAST_ROUND_NANOS);
        assertThat(four.incidents()).isEmpty();
        assertThat(four.littleErrorNanos()).isZero();
    }
}
