package dev.bascule.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IncidentsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatWasAddedIsReadInOrderWhileTheWriterGoesOn() {
        try (Incidents incidents = Incidents.create(directory)) {
            incidents.add(1_000, "agent ended: killed by signal 9");
            incidents.add(2_000, "two\nlines");
            assertThat(Incidents.read(directory)).containsExactly(
                    new Incidents.Incident(1_000, "agent ended: killed by signal 9"),
                    new Incidents.Incident(2_000, "two lines"));
        }
    }

    @Test
    void aLineThatIsNotWholeYetIsLeftOut() throws IOException {
        try (Incidents incidents = Incidents.create(directory)) {
            incidents.add(1_000, "whole");
            Files.writeString(directory.resolve("incidents.log"), "2000 ha", StandardOpenOption.APPEND);
            assertThat(Incidents.read(directory)).containsExactly(new Incidents.Incident(1_000, "whole"));
        }
    }

    @Test
    void aHostWithoutTheFileHasNone() {
        assertThat(Incidents.read(directory)).isEmpty();
    }

    @Test
    void theNextHostInTheDirectoryBeginsAnew() {
        Incidents first = Incidents.create(directory);
        first.add(1_000, "of the first");
        first.close();
        Incidents.create(directory).close();
        assertThat(Incidents.read(directory)).isEmpty();
    }
}
