package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.wire.CaptureReader;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code -} is standard output and standard input, as for tools that captures are piped through. */
@Tag("process")
@Timeout(120)
class CaptureToStandardOutputTest {
    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = { "capture --count 20 -w -", "app capture --count 20 -w - --json" })
    void framesAreAllThatIsOnStandardOutput(String line) throws Exception {
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(Cli.command(List.of(), line.split(" "))).directory(folder.toFile())
                .redirectError(errors.toFile()).start();
        byte[] captured = process.getInputStream().readAllBytes();
        assertThat(process.waitFor()).isZero();
        int frames = 0;
        try (CaptureReader reader = CaptureReader.of(new ByteArrayInputStream(captured), "standard output")) {
            while (reader.next() != null) {
                frames++;
            }
        }
        assertThat(frames).isEqualTo(20);
        assertThat(Files.readString(errors)).as("the summary").contains("packets");
        assertThat(folder.resolve("-")).doesNotExist();
    }

    @Test
    void framesAreReadFromStandardInput() throws Exception {
        Path file = folder.resolve("in.pcap");
        Process made = new ProcessBuilder(Cli.command(List.of(), "capture", "--count", "20", "-w", file.toString()))
                .redirectErrorStream(true).start();
        made.getInputStream().readAllBytes();
        assertThat(made.waitFor()).isZero();
        Process sent = new ProcessBuilder(Cli.command(List.of(), "pktgen", "--pcap", "-")).redirectInput(file.toFile())
                .redirectErrorStream(true).start();
        assertThat(new String(sent.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .containsPattern("packets sent +20");
        assertThat(sent.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
}
