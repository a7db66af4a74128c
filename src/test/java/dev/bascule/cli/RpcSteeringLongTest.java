package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A million requests through a card's model over each transport, also with the agent's process killed after each second that it is
 * at work. {@code -Dbascule.rpcCount=50000} for fewer.
 */
@Tag("long")
@Timeout(3_600)
class RpcSteeringLongTest {
    private static final int COUNT = Integer.getInteger("bascule.rpcCount", 1_000_000);

    @TempDir
    private Path folder = Path.of("");

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void eachIsAnsweredOrRefusedOnce(String link) throws Exception {
        assertThat(bench(link)).contains("\"agentsKilled\": 0,");
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void eachIsAnsweredOrRefusedOnceThoughAgentsAreKilled(String link) throws Exception {
        assertThat(bench(link, "--kill-agent", "1s")).doesNotContain("\"agentsKilled\": 0,");
    }

    private String bench(String link, String... more) throws Exception {
        List<String> words = Cli.command(List.of(), "rpc", "bench", "--link", link, "--count", Integer.toString(COUNT),
                "--under-way", "256", "--json");
        words.addAll(List.of(more));
        words.remove("-XX:TieredStopAtLevel=1");
        Path out = folder.resolve("out.json");
        Path err = folder.resolve("err.txt");
        Process process = new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            assertThat(process.waitFor(30, TimeUnit.MINUTES)).as("it ended").isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String said = Files.readString(out, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(said + Files.readString(err)).isZero();
        assertThat(said).contains("\"sent\": " + COUNT, "\"unaccountedFor\": 0", "\"repliedTwice\": 0",
                "\"repliesToNothing\": 0", "\"wrongReplies\": 0");
        return said;
    }
}
