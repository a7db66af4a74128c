package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Signals;
import dev.bascule.junit.ByTurns;
import dev.bascule.run.Errors;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl-C ends a packet tool: its summary is printed all the same, and what it has open is closed. */
@Tag("process")
@Timeout(120)
class InterruptedToolsTest {
    private static final int SIGINT = 2;

    @TempDir
    private Path folder = Path.of("");

    @ByTurns(of = 4)
    @ParameterizedTest
    @ValueSource(strings = { "fwd --rate 200 --json", "pktgen --rate 200 --json", "echo --rate 200 --json",
            "capture --rate 200 --json -w " })
    void theSummaryIsPrinted(String line) throws Exception {
        Path file = folder.resolve("out.pcapng");
        String[] words = (line.endsWith(" ") ? line + file : line).split(" ");
        assertThat(interrupted(words)).as("a ring holds a pause of five seconds: nothing is lost")
                .isEqualTo(Errors.INTERRUPTED);
        assertThat(Files.readString(folder.resolve("out.json"))).startsWith("{").endsWith("}\n").contains("\"card\"",
                "\"packets", "\"seconds\"");
        if (words[0].equals("capture")) {
            assertThat(Files.size(file)).as("what was captured is there").isGreaterThan(1000L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "fwd", "echo" })
    void lossesAreSaidAndAreTheStatus(String command) throws Exception {
        assertThat(interrupted(command, "--rate", "1000000000", "--json")).isEqualTo(Errors.FAILED);
        assertThat(Files.readString(folder.resolve("out.json"))).endsWith("}\n").containsPattern("\"lost\": [1-9]")
                .containsPattern("no room|no descriptor");
    }

    /** Interrupts a command after two seconds; says its exit status. */
    private int interrupted(String... words) throws Exception {
        Path out = folder.resolve("out.json");
        List<String> command = Cli.command(List.of(), words);
        command.addAll(List.of("--telemetry", "rte"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile());
        builder.environment().put("RUNTIME_DIRECTORY", folder.toString());
        Path socket = folder.resolve("dpdk/rte/dpdk_telemetry.v2");
        Process process = builder.start();
        try (BufferedReader progress = process.errorReader()) {
            String said = progress.readLine();
            while (said != null && !said.contains(" s] ")) { // past what is said about hugepages
                said = progress.readLine();
            }
            assertThat(said).as("how far it is, after two seconds").isNotNull();
            assertThat(socket).exists();
            Signals.send(process.pid(), SIGINT);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(socket).as("the card was closed").doesNotExist();
        return process.exitValue();
    }
}
