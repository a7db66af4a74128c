package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import dev.bascule.config.HardwareConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a run's CPUs wait for their agent. */
class AgentWaitTest {
    private static final HardwareConfig.Watchdog CONFIGURED = new HardwareConfig.Watchdog(200_000, 20_000_000);

    @ParameterizedTest
    @CsvSource({ "1,1,4", "2,1,4", "2,1,8", "4,3,8", "1,0,2" })
    void anAgentWithACoreToItselfIsWaitedForAsConfigured(int cpus, int agents, int cores) {
        AgentWait wait = AgentWait.of(CONFIGURED, cpus, agents, cores);
        assertThat(wait.softNanos()).isEqualTo(200_000);
        assertThat(wait.hardNanos()).isEqualTo(20_000_000);
        assertThat(wait.text()).contains("200 us").contains("the configuration's");
    }

    @ParameterizedTest
    @CsvSource({ "1,1,1", "1,1,2", "2,1,2", "3,1,4", "1,4,4", "7,1,8" })
    void oneThatSharesItsCoreIsWaitedForPastTimeSlicesAndThatIsSaid(int cpus, int agents, int cores) {
        AgentWait wait = AgentWait.of(CONFIGURED, cpus, agents, cores);
        assertThat(wait.softNanos()).isEqualTo(10_000_000);
        assertThat(wait.hardNanos()).isEqualTo(500_000_000);
        assertThat(wait.coldNanos()).isEqualTo(500_000_000);
        assertThat(wait.text()).contains("10,000 us").contains(cpus + " host CPU(s) and " + agents + " agent(s)")
                .contains("none of " + cores + " core(s)").contains("--window");
        assertThat(wait.json().pretty()).contains("\"softMicros\": 10000").contains("\"why\"");
    }

    @Test
    void aConfigurationThatIsMorePatientStaysSo() {
        HardwareConfig.Watchdog lab = new HardwareConfig.Watchdog(100_000_000, 2_000_000_000);
        AgentWait wait = AgentWait.of(lab, 1, 1, 1);
        assertThat(wait.softNanos()).isEqualTo(100_000_000);
        assertThat(wait.hardNanos()).isEqualTo(50_000_000_000L);
    }

    @Test
    void whatIsAskedForIsTakenAndTheHardLimitStaysAbove() {
        assertThat(AgentWait.given(1_000_000, CONFIGURED).hardNanos()).isEqualTo(100_000_000);
        assertThat(AgentWait.given(1_000_000, CONFIGURED).coldNanos()).isEqualTo(500_000_000);
        assertThat(AgentWait.given(1_000, CONFIGURED).hardNanos()).isEqualTo(20_000_000);
        Cli both = Cli.call("run", "--quick", "--patient", "--window", "1ms");
        assertThat(both.status()).isEqualTo(2);
        assertThat(both.err()).contains("--patient and --window").doesNotContain("\tat ");
        assertThat(Cli.call("run", "--quick", "--window", "61s").err()).contains("--window 61s: 1us to 60s");
    }
}
