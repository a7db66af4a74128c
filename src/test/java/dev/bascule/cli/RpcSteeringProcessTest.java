package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.run.Errors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code bascule rpc} as a user runs it: server, agent, load and clients in processes of their own. */
@Tag("process")
@Timeout(600)
class RpcSteeringProcessTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void aLoadOverUdpIsAccountedForAlsoWithLosses() throws Exception {
        try (LauberhornServer server = LauberhornServer.steering(folder, "--udp", "0", "--link", "swap", "--steer",
                "hash")) {
            assertThat(server.process().descendants().count()).as("the agent's process").isEqualTo(1);
            String address = "127.0.0.1:" + server.port();
            Cli load = Cli.call("rpc", "load", address, "--json", "--count", "2000", "--clients", "3", "--loss",
                    "0.1");
            assertThat(load.status()).as(load.out() + load.err()).isZero();
            assertThat(load.out()).contains("\"sent\": 2000", "\"refused\": 0", "\"repliedTwice\": 0",
                    "\"unaccountedFor\": 0", "\"wrongReplies\": 0")
                    .doesNotContain("\"lostByLoss\": 0,", "\"withoutReply\": 0,");
            if (PythonClient.isHere()) {
                assertThat(PythonClient.run("127.0.0.1", Integer.toString(server.port())))
                        .isEqualTo(PythonClient.expected(server.port()));
            }
            assertThat(server.end()).contains("\"droppedBecause\": \"-\"", "\"lostOnTheWire\": 0",
                    "\"link\": \"swap\"");
            assertThat(server.process().descendants().filter(ProcessHandle::isAlive).count())
                    .as("processes that it left behind").isZero();
        }
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void noCallIsLostOrAnsweredTwiceWhenAgentsAreKilled(String link) throws Exception {
        Cli bench = Cli.run("rpc", "bench", "--link", link, "--count", "12000", "--rate", "3000", "--kill-agent",
                "1s", "--json");
        // a machine that is too slow for the rate loses frames in the card, which are counted
        assertThat(bench.status()).as(bench.out() + bench.err())
                .isEqualTo(bench.out().contains("\"withoutReply\": 0,") ? 0 : Errors.FAILED);
        assertThat(bench.out()).contains("\"sent\": 12000", "\"unaccountedFor\": 0", "\"repliedTwice\": 0",
                "\"wrongReplies\": 0").doesNotContain("\"agentsKilled\": 0,", "\"cpuUsRequestAgent\": -");
    }

    @Test
    void aDatabaseIsFilledOverOneTransportAndReadOverAnother() throws Exception {
        Assumptions.assumeTrue(PythonClient.isHere(), "python3 is not here");
        String store = folder.resolve("store").toString();
        List<String> read = List.of("get True", "not there None", "range True", "end True", "what fits True",
                "wrong arguments 4");
        try (LauberhornServer server = LauberhornServer.steering(folder, "--udp", "0", "--link", "swap", "--rocksdb",
                store)) {
            List<String> said = PythonClient.script("store.py", "127.0.0.1", Integer.toString(server.port()), "fill");
            assertThat(said).startsWith("put True", "replaced True").endsWith(read.toArray(String[]::new));
            assertThat(server.end()).contains("\"link\": \"swap\"", "\"refusedBecause\": \"bad-arguments 1\"");
        }
        try (LauberhornServer server = LauberhornServer.steering(folder, "--udp", "0", "--link", "wave", "--steer",
                "class", "--rocksdb", store)) {
            assertThat(PythonClient.script("store.py", "127.0.0.1", Integer.toString(server.port()), "look"))
                    .isEqualTo(read);
        }
    }

    @Test
    void transportsAreShownBesideASocketServerAndBadOptionsAreSaid() {
        Cli bench = Cli.call("rpc", "bench", "--quick", "--count", "500", "--in-process"); // --count goes before --quick
        assertThat(bench.status()).as(bench.out() + bench.err()).isZero();
        assertThat(bench.out()).containsPattern("sent +500\\b").doesNotContain("20,000");
        assertThat(bench.out()).contains("on-host", "wave", "swap", "socket", "CPU us/request, front",
                "CPU us/request, host");
        for (List<String> wrong : List.of(List.of("serve"), List.of("serve", "--udp", "0", "--link", "cable"),
                List.of("serve", "--udp", "0", "--steer", "long"), List.of("load", "nowhere"),
                List.of("serve", "--udp", "0", "--service", "no.Such"), List.of("bench", "--cores", "0"),
                List.of("bench", "--policy", "none"), List.of("load", "127.0.0.1:1", "--loss", "2"),
                List.of("bench", "--kill-agent", "1s", "--in-process"))) {
            List<String> words = new ArrayList<>(List.of("rpc"));
            words.addAll(wrong);
            Cli said = Cli.call(words.toArray(String[]::new));
            assertThat(said.status()).as(wrong.toString()).isNotZero();
            assertThat(said.err()).as(wrong.toString()).isNotBlank().doesNotContain("\tat ");
        }
    }
}
