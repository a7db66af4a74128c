package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bascule lauberhorn} as a user runs it: server, load and clients in processes of their own. */
@Tag("process")
@Timeout(300)
class LauberhornProcessTest {
    @TempDir
    private Path folder = Path.of("");

    private static Cli load(LauberhornServer server, String... options) throws Exception {
        List<String> words = new ArrayList<>(
                List.of("lauberhorn", "load", "127.0.0.1:" + server.port(), "--json"));
        words.addAll(List.of(options));
        return Cli.run(words.toArray(String[]::new));
    }

    @Test
    void servicesInProcessesAnswerALoadOverUdp() throws Exception {
        try (LauberhornServer server = new LauberhornServer(folder, "--udp", "0", "--services", "2", "--processes")) {
            assertThat(server.process().descendants().count()).as("a process for each service").isEqualTo(2);
            Cli load = load(server, "--count", "2000", "--services", "2", "--payload", "100");
            assertThat(load.status()).as(load.out() + load.err()).isZero();
            assertThat(load.out()).contains("\"sent\": 2000", "\"withoutReply\": 0", "\"repliedTwice\": 0",
                    "\"wrongReplies\": 0");
            assertThat(server.end()).contains("\"requests\": 2000");
            assertThat(server.process().descendants().filter(ProcessHandle::isAlive).count())
                    .as("processes that it left behind").isZero();
        }
    }

    @Test
    void aPythonClientIsServed() throws Exception {
        assumeTrue(PythonClient.isHere(), "no python3 here");
        try (LauberhornServer server = new LauberhornServer(folder, "--udp", "0", "--policy", "round-robin")) {
            String port = Integer.toString(server.port());
            assertThat(PythonClient.run("127.0.0.1", port)).isEqualTo(PythonClient.expected(server.port()));
            assertThat(server.end()).contains("\"refused\": 3", "no-program 1, no-procedure 1, bad-arguments 1");
        }
    }

    @Test
    void aServiceOfOnesOwnJoinsByHand() throws Exception {
        Path region = folder.resolve("region");
        Files.createDirectory(region);
        try (LauberhornServer server = new LauberhornServer(folder, "--udp", "0", "--services", "0", "--region",
                region.toString())) {
            Path jar = ServiceJar.make(folder);
            Process joined = new ProcessBuilder(Cli.command(List.of(), "lauberhorn", "process", "--region",
                    region.toString(), "--service", "my.Twice", "--service-path", jar.toString())).start();
            assertThat(joined.errorReader().readLine()).contains("my.Twice is process 2");
            assertThat(ServiceJar.call(server.port(), 21)).isEqualTo(42);
            joined.destroyForcibly().waitFor();
            Cli late = Cli.run("lauberhorn", "process", "--region", folder.resolve("nowhere").toString(), "--demo",
                    "0");
            assertThat(late.status()).isNotZero();
            assertThat(late.err()).contains("ENOENT").contains("serve --region");
            server.end();
            assertThat(joined.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aBenchAccountsForEachCallAndBadOptionsAreSaid() throws Exception {
        Cli bench = Cli.run("lauberhorn", "bench", "--count", "3000", "--services", "5", "--policy", "shinjuku",
                "--cores", "4", "--least-cores", "1", "--json");
        assertThat(bench.status()).as(bench.out() + bench.err()).isZero();
        Cli eci = Cli.call("lauberhorn", "bench", "--count", "1000", "--interconnect", "eci", "--line", "128",
                "--under-way", "1", "--json");
        assertThat(eci.out()).as(eci.err()).contains("\"withoutReply\": 0", "\"injectedLatency\": \"eci, by");
        assertThat(bench.out()).contains("\"sent\": 3000", "\"withoutReply\": 0", "\"policy\": \"shinjuku\"",
                "\"leastCores\": 1", "\"meanCores\": ", "\"coresCame\": ");
        for (List<String> wrong : List.of(List.of("serve"), List.of("serve", "--udp", "0", "--wire", "tap:x"),
                List.of("serve", "--udp", "0", "--wait", "long"), List.of("load", "nowhere"),
                List.of("serve", "--udp", "0", "--service", "no.Such"), List.of("bench", "--line", "32"),
                List.of("bench", "--policy", "none"), List.of("bench", "--interconnect", "isa"),
                List.of("bench", "--cores", "2", "--least-cores", "3"), List.of("serve", "--udp", "0", "--calm", "-1s",
                        "--least-cores", "1"))) {
            List<String> words = new ArrayList<>(List.of("lauberhorn"));
            words.addAll(wrong);
            Cli said = Cli.call(words.toArray(String[]::new));
            assertThat(said.status()).as(wrong.toString()).isNotZero();
            assertThat(said.err()).as(wrong.toString()).isNotBlank().doesNotContain("\tat ");
        }
    }
}
