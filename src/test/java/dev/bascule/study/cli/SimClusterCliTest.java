package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import dev.bascule.json.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bascule sim --hosts} and {@code sweep hosts=}: a cluster as its user sees it. */
class SimClusterCliTest {
    private static String run(int status, String... more) {
        List<String> all = new ArrayList<>(List.of("sim", "cpus=2", "jobs=6000", "load=0.7", "mix=ghost-fifo",
                "transport=on-host", "--repeat", "2"));
        all.addAll(List.of(more));
        Cli cli = Cli.call(all.toArray(String[]::new));
        assertThat(cli.status()).as(cli.out() + cli.err()).isEqualTo(status);
        return status == 0 ? cli.out() : cli.err();
    }

    @Test
    void aClusterHasItsLatencyAndThatOfEachHost() throws Exception {
        String text = run(0, "--hosts", "4", "--balance", "least-loaded");
        assertThat(text).contains("4 hosts of 2 CPUs under one load balancer").contains("host 0").contains("host 3")
                .contains("hosts=4 balance=least-loaded");
        String json = run(0, "hosts=4", "balance=least-loaded", "--json");
        assertThat(run(0, "--hosts", "4", "--balance", "least-loaded", "--json")).as("the same seed, the same run")
                .isEqualTo(json);
        Map<?, ?> row = (Map<?, ?>) JsonReader.parse(json);
        List<?> hosts = (List<?>) row.get("hosts");
        assertThat(hosts).hasSize(4).allSatisfy(host -> {
            assertThat(((Map<?, ?>) host).get("p99Nanos")).isInstanceOf(Number.class);
            assertThat(((Map<?, ?>) host).get("overloaded")).isEqualTo(false);
        });
        double sum = hosts.stream().mapToDouble(host -> number((Map<?, ?>) host, "throughputPerSecond")).sum();
        assertThat(number(row, "throughputPerSecond") / sum).isBetween(0.999, 1.001);
    }

    private static double number(Map<?, ?> of, String key) {
        return ((Number) of.get(key)).doubleValue();
    }

    @Test
    void ofManyHostsTheSlowestAndTheFastestAreShown() {
        assertThat(run(0, "--hosts", "12")).contains("the 6 slowest and the 2 fastest of the 12 hosts");
        assertThat(run(0)).doesNotContain("host 0").doesNotContain("load balancer");
    }

    @Test
    void whatMakesNoClusterIsRefused() {
        assertThat(run(2, "--hosts", "2", "hosts=3")).contains("--hosts 2 with hosts=3").contains("leave one out");
        assertThat(run(2, "--hosts", "2", "--balance", "best")).contains("balance=best").contains("power-of-two");
        assertThat(run(2, "hosts=2", "mix=vm")).contains("hosts=2 with mix=vm").contains("open loop");
        assertThat(run(2, "hosts=0")).contains("hosts=0: from 1");
        assertThat(run(2, "hosts=2", "--trace", "/dev/null")).contains("about one host");
        assertThat(run(2, "agents=3")).contains("agents=3: from 1");
    }

    @Test
    void hostsAndBalancesAreAxesOfASweep(@TempDir Path folder) throws Exception {
        Path out = folder.resolve("rack.jsonl");
        for (int point = 0; point < 2; point++) {
            Cli cli = Cli.call("sweep", "hosts=4", "balance=random,power-of-two", "cpus=2", "jobs=4000", "--repeat",
                    "2",
                    "--index", Integer.toString(point), "--out", out.toString());
            assertThat(cli.status()).as(cli.err()).isZero();
        }
        List<String> rows = Files.readAllLines(out);
        assertThat(rows).hasSize(2);
        double random = number((Map<?, ?>) JsonReader.parse(rows.get(0)), "meanNanos");
        double two = number((Map<?, ?>) JsonReader.parse(rows.get(1)), "meanNanos");
        assertThat(two).as("the same jobs").isLessThan(random);
    }
}
