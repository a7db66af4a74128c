package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import dev.bascule.json.JsonReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code sim --enclaves 8 --cores 2}: enclaves of one host, from the command line. */
class SimEnclavesCliTest {
    private static String run(int status, String... more) {
        List<String> all = new ArrayList<>(List.of("sim", "cpus=2", "jobs=6000", "load=0.5", "mix=ghost-fifo",
                "--repeat", "2"));
        all.addAll(List.of(more));
        Cli cli = Cli.call(all.toArray(String[]::new));
        assertThat(cli.status()).as(cli.out() + cli.err()).isEqualTo(status);
        return status == 0 ? cli.out() : cli.err();
    }

    private static double number(Map<?, ?> of, String key) {
        return ((Number) of.get(key)).doubleValue();
    }

    private static Map<?, ?> json(String... more) throws Exception {
        List<String> all = new ArrayList<>(List.of(more));
        all.add("--json");
        return (Map<?, ?>) JsonReader.parse(run(0, all.toArray(String[]::new)));
    }

    @Test
    void enclavesHaveTheirLatencyAndTheirCoresLoadIsSeen() throws Exception {
        String text = run(0, "--enclaves", "4", "--cores", "1");
        assertThat(text).contains("4 enclaves of 2 CPUs on one host; agents' cores that they share: 1")
                .contains("enclave 0").contains("enclave 3").contains("enclaves=4 cores=1")
                .doesNotContain("load balancer").doesNotContain("host 0");
        Map<?, ?> one = json("enclaves=4", "cores=1");
        Map<?, ?> four = json("enclaves=4", "cores=4");
        assertThat(json("--enclaves", "4", "--cores", "1")).as("the same seed, the same run").isEqualTo(one);
        assertThat((List<?>) one.get("hosts")).isEmpty();
        List<?> enclaves = (List<?>) one.get("enclaves");
        assertThat(enclaves).hasSize(4).allSatisfy(each -> {
            assertThat(((Map<?, ?>) each).get("p99Nanos")).isInstanceOf(Number.class);
            assertThat(((Map<?, ?>) each).get("overloaded")).isEqualTo(false);
        });
        assertThat(enclaves.stream().map(each -> number((Map<?, ?>) each, "enclave"))).containsExactly(0.0, 1.0, 2.0,
                3.0);
        double sum = enclaves.stream().mapToDouble(each -> number((Map<?, ?>) each, "throughputPerSecond")).sum();
        assertThat(number(one, "throughputPerSecond") / sum).isBetween(0.999, 1.001);
        assertThat(number(one, "agentCores")).isEqualTo(1);
        assertThat(number(four, "agentCores")).isEqualTo(4);
        assertThat(number(one, "agentCoresBusy")).isBetween(2 * number(four, "agentCoresBusy"), 1.0);
        assertThat(number(one, "meanNanos")).as("they wait for one core").isGreaterThan(number(four, "meanNanos"));
    }

    /** Four agents of one enclave with jobs so short that one core cannot decide about all of them. */
    private static Map<?, ?> ofShortJobs(String cores) throws Exception {
        Cli cli = Cli.call("sim", "cpus=8", "agents=4", cores, "jobs=3000", "mix=exponential", "--repeat", "2",
                "--json");
        assertThat(cli.status()).as(cli.err()).isZero();
        return (Map<?, ?>) JsonReader.parse(cli.out());
    }

    @Test
    void agentsOfOneEnclaveShareCoresAsWell() throws Exception {
        Map<?, ?> shared = ofShortJobs("cores=1");
        Map<?, ?> own = ofShortJobs("cores=4");
        assertThat(number(shared, "agentCores")).isEqualTo(1);
        assertThat(number(own, "agentCores")).isEqualTo(4);
        assertThat(number(shared, "agentCoresBusy")).as("one core is not enough").isGreaterThan(0.99);
        assertThat(number(shared, "meanNanos")).isGreaterThan(1.2 * number(own, "meanNanos"));
        assertThat((List<?>) shared.get("enclaves")).isEmpty();
    }

    @Test
    void closedLoopsAndMachinesRunInEnclavesToo() {
        assertThat(run(0, "--enclaves", "3", "--cores", "2", "mix=vm", "policy=gang", "jobs=600"))
                .contains("3 enclaves of 2 CPUs");
        Cli closed = Cli.call("sim", "cpus=2", "jobs=3000", "mix=exponential", "clients=4", "think=20000",
                "--enclaves", "2", "--cores", "1", "--repeat", "1");
        assertThat(closed.status()).as(closed.err()).isZero();
        assertThat(closed.out()).contains("enclave 1");
    }

    @Test
    void whatMakesNoHostOfEnclavesIsRefused() {
        assertThat(run(2, "--enclaves", "0")).contains("enclaves=0: from 1 to 64");
        assertThat(run(2, "--enclaves", "65")).contains("enclaves=65: from 1 to 64");
        assertThat(run(2, "--enclaves", "two")).contains("enclaves=two: a number is needed");
        assertThat(run(2, "--enclaves", "2", "--cores", "0")).contains("cores=0: from 1 to 2");
        assertThat(run(2, "--enclaves", "2", "--cores", "3")).contains("cores=3: from 1 to 2");
        assertThat(run(2, "--enclaves", "2", "enclaves=3")).contains("--enclaves 2 with enclaves=3")
                .contains("leave one out");
        assertThat(run(2, "--enclaves", "60", "cpus=100")).contains("60 enclaves of 100 CPUs").contains("4096");
        assertThat(run(2, "--enclaves", "2", "--hosts", "2")).contains("hosts=2 with enclaves=2");
        assertThat(run(2, "--cores", "1", "--hosts", "2")).contains("hosts=2 with cores=1");
        assertThat(run(2, "--enclaves", "2", "sockets=2")).contains("2 enclaves on 2 sockets");
        assertThat(run(2, "--enclaves", "2", "--trace", "/dev/null")).contains("enclaves=2").contains("one enclave");
    }

    @Test
    void helpHasAnExample() {
        Cli cli = Cli.call("sim", "--help");
        assertThat(cli.out()).contains("bascule sim --enclaves 8 --cores 2 cpus=4 load=0.5");
    }
}
