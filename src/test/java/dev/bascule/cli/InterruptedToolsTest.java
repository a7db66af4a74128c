package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Libc;
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

/** Ctrl-C ends a packet tool, and its summary is printed all the same. */
@Tag("process")
@Timeout(120)
class InterruptedToolsTest {
    private static final int SIGINT = 2;

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = { "fwd --rate 1000 --json", "pktgen --rate 1000 --json", "echo --rate 1000 --json",
            "capture --rate 1000 --json -w " })
    void theSummaryIsPrinted(String line) throws Exception {
        Path file = folder.resolve("out.pcapng");
        Path out = folder.resolve("out.json");
        String[] words = (line.endsWith(" ") ? line + file : line).split(" ");
        Process process = new ProcessBuilder(Cli.command(List.of(), words)).redirectOutput(out.toFile()).start();
        try (BufferedReader progress = process.errorReader()) {
            String said = progress.readLine();
            while (said != null && !said.contains(" s] ")) { // past what is said about hugepages
                said = progress.readLine();
            }
            assertThat(said).as("how far it is, after two seconds").isNotNull();
            Libc.kill((int) process.pid(), SIGINT);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).isEqualTo(Errors.INTERRUPTED);
        assertThat(Files.readString(out)).startsWith("{").endsWith("}\n").contains("\"card\"", "\"packets",
                "\"seconds\"");
        if (words[0].equals("capture")) {
            assertThat(Files.size(file)).as("what was captured is there").isGreaterThan(1000L);
        }
    }
}
