package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.report.RunFault;
import org.junit.jupiter.api.Test;

/** What speaks against calling a run the policy's. */
class WhoDecidedTest {
    private static final long SOFT_NANOS = 200_000;

    private static WhoDecided decided(long agent, long fallback) {
        return new WhoDecided(agent, fallback, 0, 0, false, "", 0, null, 0);
    }

    @Test
    void theFallbacksShareMayReachTheLimitAndNotPassIt() {
        assertThat(decided(95, 5).faults(0.05, SOFT_NANOS)).isEmpty();
        assertThat(decided(94, 6).faults(0.05, SOFT_NANOS)).singleElement().satisfies(fault -> {
            assertThat(fault.kind()).isEqualTo(RunFault.Kind.FALLBACK);
            assertThat(fault.text()).contains("made 6.00 % of the decisions").contains("limit is 5.00 %")
                    .contains("--fallback-limit").contains("200 us");
        });
        assertThat(decided(0, 6).faults(1, SOFT_NANOS)).as("any part is allowed").isEmpty();
        assertThat(decided(0, 0).faults(0, SOFT_NANOS)).as("nothing was decided").isEmpty();
    }

    @Test
    void anAgentThatFailedIsNamedWithItsReason() {
        assertThat(new WhoDecided(100, 0, 0, 2, false, "agent silent for more than 20000 us", 0, null, 0).faults(0.05,
                SOFT_NANOS)).singleElement().satisfies(fault -> {
                    assertThat(fault.kind()).isEqualTo(RunFault.Kind.AGENT);
                    assertThat(fault.text()).isEqualTo("the agent failed 2 times, and nobody had asked for that: agent"
                            + " silent for more than 20000 us");
                });
    }

    @Test
    void aTaskThatTheHostHadToRunIsThePolicysFault() {
        assertThat(new WhoDecided(100, 1, 0, 0, false, "", 0, null, 1).faults(0.05, SOFT_NANOS)).singleElement()
                .satisfies(fault -> {
                    assertThat(fault.kind()).isEqualTo(RunFault.Kind.STARVATION);
                    assertThat(fault.text())
                            .isEqualTo("1 task was passed over by the policy until the host ran it, after"
                                    + " twice the limit of --starvation");
                });
    }

    @Test
    void decisionsRefusedForThePolicysFaultComeFirst() {
        assertThat(new WhoDecided(1, 99, 0, 0, false, "", 12_345, "task 3 for CPU 0: decided twice", 0).faults(0.05,
                SOFT_NANOS)).extracting(RunFault::kind)
                .containsExactly(RunFault.Kind.POLICY, RunFault.Kind.FALLBACK);
    }
}
