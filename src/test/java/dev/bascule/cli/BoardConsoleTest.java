package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.model.enso.WireSink;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoardConsoleTest {
    @TempDir
    private Path folder;

    @Test
    void aLineSetsTheBoardAndAResetTakesItAway() throws Exception {
        EnsoDevice device = new EnsoDevice(EnsoBoard.DEFAULT, () -> 0, WireSink.NONE);
        Path file = folder.resolve("console");
        BoardConsole console = new BoardConsole(file, device);
        assertThat(console.look()).isEmpty();
        Files.writeString(file, "pipe-ring=1024 notification-ring=2048");
        assertThat(console.look()).as("the line has no end yet").isEmpty();
        Files.writeString(file, "pipe-ring=1024 notification-ring=2048 inflight=300 per-packet=1\n");
        assertThat(console.look()).contains("pipe rings of 1024", "2048", "300 in flight", "each packet");
        assertThat(file).content().startsWith("set pipe-ring=1024");
        assertThat(console.look()).as("said once").isEmpty();
        device.reset();
        assertThat(file).content().isEmpty();
        assertThat(console.look()).contains("reset");
        Files.writeString(file, "pipe-ring=none\n");
        assertThat(console.look()).contains("not set", "pipe-ring=none");
        assertThat(file).content().startsWith("refused");
    }

    @Test
    void whoReadsWhileTheBoardAnswersReadsAWholeText() throws Exception {
        EnsoDevice device = new EnsoDevice(EnsoBoard.DEFAULT, () -> 0, WireSink.NONE);
        Path file = folder.resolve("console");
        BoardConsole console = new BoardConsole(file, device);
        String line = "pipe-ring=1024 notification-ring=2048\n";
        Files.writeString(file, line);
        try (InputStream reader = Files.newInputStream(file)) {
            assertThat(console.look()).contains("is set");
            assertThat(new String(reader.readAllBytes())).isEqualTo(line);
        }
        assertThat(file).content().isEqualTo("set " + line);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "pipe-ring", "pipe-ring=", "ring=4", "pipe-ring=-4", "pipe-ring=4 junk" })
    void whatIsNoSettingIsRefusedWithTheForm(String line) {
        assertThatThrownBy(() -> BoardConsole.parse(line)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("notification-ring=ENTRIES");
    }
}
