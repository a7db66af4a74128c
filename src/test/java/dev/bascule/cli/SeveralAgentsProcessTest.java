package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.run.Errors;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs with several agents and enclaves: what their user reads. */
@Tag("process")
@Timeout(240)
class SeveralAgentsProcessTest {

    private static Cli run(String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "--quick", "--workload", "spin", "--load", "0.5",
                "--capacity", "4000", "--report", "none", "--patient", "--transport", "wave"));
        words.addAll(List.of(more));
        return Cli.run(Cli.ONE_CARRIER, words.toArray(String[]::new));
    }

    private static long count(String what, String in) {
        return Pattern.compile(what).matcher(in).results().count();
    }

    @Test
    void fourAgentsThatAreUpgradedAgainAndAgainLoseNothing() throws Exception {
        Cli cli = run("--cpus", "4", "--agents", "4", "--in-process", "--duration", "2s", "--upgrade-at", "100ms",
                "--upgrade-every", "100ms", "--fallback-limit", "1", "--json"); // the host decides in the gaps
        assertThat(cli.status()).as(cli.err() + cli.out()).isZero();
        assertThat(cli.out()).contains("\"lost\": 0").contains("\"duplicated\": 0")
                .contains("each of 4 agents, with CPUs of its own, is a thread of the host's process")
                .containsPattern("wave: \\d+ upgrades: median .* ms, worst .* ms without an agent \\(fence ")
                .doesNotContain("\"upgraded\": false");
        for (int agent = 0; agent < 4; agent++) {
            assertThat(count("\"agent\": " + agent + ",", cli.out())).as("upgrades of agent %d", agent).isPositive();
        }
        assertThat(count("\"roundMicros\": [0-9.]+", cli.out())).as("gaps by steps")
                .isEqualTo(count("\"upgraded\": true", cli.out())).isGreaterThanOrEqualTo(4);
    }

    /** No process starts within the 100 ms that are left: on a slow machine not within seconds either. */
    @Test
    void aRunDoesNotEndBeforeItsUpgradesHave() throws Exception {
        Cli cli = run("--cpus", "1", "--duration", "300ms", "--upgrade-at", "200ms", "--fallback-limit", "1", "--json");
        assertThat(cli.status()).as(cli.err() + cli.out()).isZero();
        assertThat(cli.out()).contains("\"upgraded\": true").contains("\"lost\": 0").contains("\"duplicated\": 0");
        assertThat(count("\"lost\": ", cli.out())).as("what was served meanwhile is in no figure").isEqualTo(1);
        assertThat(cli.err()).contains("wave: waiting for the upgrade");
    }

    @Test
    void twoAgentsAsProcessesEachDecideForACpu() throws Exception {
        Cli cli = run("--cpus", "2", "--agents", "2", "--duration", "500ms");
        assertThat(cli.status()).as(cli.err() + cli.out()).isZero();
        assertThat(cli.out()).contains("each of 2 agents, with CPUs of its own, is a process of its own")
                .containsPattern("lost +requests +0").containsPattern("duplicated +requests +0");
    }

    @Test
    void twoEnclavesOfTwoAgentsEachShareTheCpusAndGiveOneToTheOther() throws Exception {
        Cli cli = run("--cpus", "4", "--in-process", "--duration", "1500ms", "--enclave",
                "web:0-1:transport=wave:agents=2", "--enclave", "batch:2-3:transport=swap:policy=round-robin:agents=2",
                "--move", "1:batch@200ms,1:web@600ms", "--json");
        assertThat(cli.status()).as(cli.err() + cli.out()).isZero();
        assertThat(count("\"lost\": 0", cli.out())).as(cli.out()).isEqualTo(2);
        assertThat(count("\"duplicated\": 0", cli.out())).isEqualTo(2);
        assertThat(cli.out()).contains("\"web\"", "\"batch\"", "enclave on CPUs [2, 3] when it began")
                .containsPattern("CPU 1 went from enclave web to enclave batch within [0-9,.]+ us")
                .containsPattern("CPU 1 went from enclave batch to enclave web within [0-9,.]+ us");
    }

    @Test
    void whatCannotBeIsRefused() {
        Cli many = Cli.call("run", "--quick", "--workload", "spin", "--cpus", "2", "--agents", "3");
        assertThat(many.status()).isEqualTo(Errors.USAGE);
        assertThat(many.err()).contains("--agents 3: 1 to the number of CPUs, 2").doesNotContain("\tat ");
        Cli unmeasured = Cli.call("run", "--quick", "--workload", "spin", "--cpus", "2", "--enclave", "a:0",
                "--enclave",
                "b:1");
        assertThat(unmeasured.err()).contains("say what a load of 1 is in each").doesNotContain("\tat ");
        Cli again = Cli.call("run", "--quick", "--workload", "spin", "--upgrade-every", "1s");
        assertThat(again.status()).isEqualTo(Errors.USAGE);
        assertThat(again.err()).contains("say when first: --upgrade-at");
    }
}
