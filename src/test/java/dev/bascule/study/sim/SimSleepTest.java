package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.host.TimeHistogram;
import dev.bascule.policy.FifoAgent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * CPUs that sleep until an interrupt. A CPU says that it sleeps and looks once more, an agent decides and looks whether the
 * CPU sleeps: one of the two sees the other, so a decision never waits until the soft window or the housekeeping wakes the CPU.
 */
class SimSleepTest {
    private static final JobMix FIXED = JobMix.one("fixed", "10 us", ServiceTime.fixed(10_000));
    private static final long SOFT_NANOS = 200_000;

    @ParameterizedTest(name = "{0}, {1} CPUs, load {2}, a decision takes {3} ns")
    @CsvSource({ "on-host, 16, 0.4, 426", "on-host, 4, 0.4, 2000", "wave, 16, 0.4, 426", "wave, 4, 0.4, 2000",
            "wave, 1, 0.3, 2000", "wave-push, 16, 0.4, 426", "wave-push, 4, 0.4, 2000", "wave-on-demand, 16, 0.4, 426",
            "wave-on-demand, 2, 0.3, 2000", "swap0, 16, 0.4, 426", "swap0, 4, 0.3, 2000", "swap1, 16, 0.4, 426",
            "swap1, 4, 0.4, 2000", "swap1, 8, 0.5, 426" })
    void noDecisionWaitsForAnInterruptThatNobodySends(String transport, int cpus, double load, long decisionNanos) {
        CostProfile profile = CostProfiles.load("published").with("nicAgent.decision", decisionNanos, "of the test")
                .with("hostAgent.decision", decisionNanos, "of the test");
        long jobs = 20_000;
        double perSecond = FIXED.capacityPerSecond(cpus) * load;
        SimOptions options = SimOptions.of(cpus, Math.round(jobs / perSecond * 1e9)).withPolling(false);
        SimResult result = SimHost.run(SimSetup.of(options, SimTransports.named(transport), profile), FifoAgent::new,
                OpenLoad.blind(FIXED, perSecond, 11));
        TimeHistogram sojourns = result.allSojourns();
        System.out.printf("%s, %d CPUs, load %.1f, %d ns: p50 %.0f, p99 %.0f, max %d ns; %d of %d by the host itself%n",
                transport, cpus, load, decisionNanos, sojourns.percentile(50), sojourns.percentile(99), sojourns.max(),
                result.decisions().local(), result.decisions().complete());
        assertThat(result.decisions().local()).as("decisions of the host's own, after the soft window").isZero();
        assertThat(sojourns.max()).isLessThan(SOFT_NANOS);
        assertThat(result.littleErrorNanos()).isZero();
    }
}
