package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.cli.BadPolicies;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starvation in virtual time: as on the live host, with a limit of its own. */
class SimStarvationTest {
    private static final long HORIZON = 80_000_000;
    private static final long LIMIT_NANOS = 20_000_000;
    private static final JobMix MIX = JobMix.one("fixed", "fixed", ServiceTime.fixed(50_000));

    /** The soft window is longer than the run, so that the host helps nobody but who starves. */
    private static SimResult run(Supplier<? extends Agent> policy, int cpus, boolean polling, double part,
            long starvationNanos) {
        SimOptions options = SimOptions.of(cpus, HORIZON).withPolling(polling).withStarvation(starvationNanos)
                .withWindows(HORIZON, 2 * HORIZON);
        return SimHost.run(SimSetup.of(options, SimTransports.wave(), CostProfiles.load("published")), policy,
                OpenLoad.blind(MIX, MIX.capacityPerSecond(cpus) * part, 3));
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 4 })
    void theHostRunsWhatTheAgentPassesOver(int cpus) {
        for (boolean polling : new boolean[] { true, false }) {
            SimResult result = run(BadPolicies.Forgetful::new, cpus, polling, 0.5, LIMIT_NANOS);
            assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived()).isPositive();
            assertThat(result.waits().words().getFirst())
                    .containsPattern("task 199 starves: runnable for 2[01] ms while ")
                    .endsWith("no agent has ever decided about it");
            assertThat(result.waits().longestNanos()).isBetween(2 * LIMIT_NANOS,
                    2 * LIMIT_NANOS + 2_000_000);
            assertThat(result.decisions().local()).as("by the host").isBetween(1L, 10L);
        }
    }

    @Test
    void withoutALimitItWaitsToTheEnd() {
        SimResult result = run(BadPolicies.Forgetful::new, 2, true, 0.5, 0);
        assertThat(result.jobs().unfinished()).isEqualTo(1);
        assertThat(result.waits().starved()).isZero();
    }

    @Test
    void aFairPolicyStarvesNobodyUnderOverload() {
        SimResult result = run(FifoAgent::new, 2, true, 1.5, LIMIT_NANOS);
        assertThat(result.waits().words()).isEmpty();
        assertThat(result.decisions().local()).isZero();
    }
}
