package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
 * Many requests through a card's model over each transport, with the agent's process killed after each second that it is at work.
 * {@code -Dbascule.rpcCount=1000000} for a million.
 */
@Tag("long")
@Timeout(3_600)
class RpcSteeringLongTest {
    private static final int COUNT = Integer.getInteger("bascule.rpcCount", 50_000);

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void eachIsAnsweredOrRefusedOnce(String link) throws Exception {
        List<String> words = Cli.command(List.of(), "rpc", "bench", "--link", link, "--count", Integer.toString(COUNT),
                "--under-way",
                "256", "--json", "--kill-agent", "1s");
        words.remove("-XX:TieredStopAtLevel=1");
        Path out = folder.resolve("out.json");
        Path err = folder.resolve("err.txt");
        Process process = new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        assertThat(process.waitFor(30, TimeUnit.MINUTES)).as("it ended").isTrue();
        String said = Files.readString(out, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(said + Files.readString(err)).isZero();
        assertThat(said).contains("\"sent\": " + COUNT, "\"withoutReply\": 0", "\"repliedTwice\": 0",
                "\"repliesToNothing\": 0", "\"wrongReplies\": 0");
        assertThat(said).doesNotContain("\"agentsKilled\": 0,");
    }
}
