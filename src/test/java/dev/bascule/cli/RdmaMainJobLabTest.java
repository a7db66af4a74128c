package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.run.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job over libibverbs: host and agent, two processes, each with a copy of the region, on one soft-RoCE device. */
@Tag("rdma")
class RdmaMainJobLabTest {
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void everyRequestIsAnsweredOnceAlsoWhenTheAgentIsKilled(String transport) {
        Lab.require();
        Cli run = Cli.call("run", "--link", "rdma", "--config", "lab-rdma", "--transport", transport, "--workload",
                "spin", "--mix", "short-bimodal", "--quick", "--capacity", "100000", "--load", "0.002", "--duration",
                "4s", "--kill-agent-at", "1s", "--no-pin", "--interrupt", "--cpus", "1", "--report", "none",
                "--fallback-limit", "1", "--json");
        RunJson figures = new RunJson(run.out());
        System.out.println(transport + " over RDMA: served " + figures.sum("served") + ", decided by the agent "
                + figures.sum("made") + ", by the host " + figures.sum("local"));
        assertThat(figures.sum("served")).as(run.err()).isPositive();
        assertThat(figures.sum("made")).as("decisions of the agent; " + run.err()).isPositive();
        assertThat(figures.sum("lost")).isZero();
        assertThat(figures.sum("duplicated")).isZero();
    }

    @Test
    void compareLosesNothing() {
        Lab.require();
        Cli compare = Cli.call("compare", "--link", "rdma", "--config", "lab-rdma", "--quick", "--experiment", "E3",
                "--transport", "wave", "--no-pin", "--report", "none", "--json");
        assertThat(compare.status()).as("1 if a task was lost or ran unasked; " + compare.err()).isZero();
        assertThat(compare.out()).contains("\"wave interrupt\": ");
    }

    @Test
    void doctorShowsTheDevice() {
        Lab.require();
        assertThat(Cli.call("doctor").out())
                .containsPattern("RDMA rxe0 +ok +ACTIVE, Ethernet, address .*10\\.9\\.0\\.1")
                .containsPattern("/dev/infiniband +ok +.*uverbs0").containsPattern("libibverbs +ok")
                .containsPattern("locked memory +ok");
    }

    @Test
    void anAgentListensAtAnAddressOfADeviceAlone() {
        Lab.require();
        Cli agent = Cli.call("agent", "--link", "rdma", "--listen", "10.9.0.77");
        assertThat(agent.status()).isEqualTo(Errors.FAILED);
        assertThat(agent.err()).contains("no port has the address 10.9.0.77");
    }
}
