package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent's log of its garbage collections lets be said of its policy. */
class GcLogTest {
    /** As FIFO's agent wrote them: starting the JVM, and code that was not compiled yet. */
    private static final String STARTING = """
            [0.012s][info][gc] Using Serial
            [0.619s][info][gc] GC(0) Pause Young (Allocation Failure) 9M->5M(30M) 14.931ms
            [1.792s][info][gc] GC(1) Pause Young (Allocation Failure) 13M->6M(30M) 4.966ms
            [2.404s][info][gc] GC(2) Pause Young (Allocation Failure) 14M->6M(30M) 1.500ms
            """;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatAJvmMakesAsItStartsIsNotChargedToThePolicy() throws IOException {
        Files.writeString(directory.resolve("gc.log"), STARTING);
        assertThat(GcLog.pausesMillis(directory)).containsExactly(14.931, 4.966, 1.5);
        assertThat(GcLog.remarks(directory, 0)).isEmpty();
    }

    @Test
    void aPolicyThatGoesOnMakingGarbageIsTold() throws IOException {
        StringBuilder log = new StringBuilder(STARTING);
        for (int i = 3; i < 40; i++) {
            log.append("[").append(i).append(".0s][info][gc] GC(").append(i)
                    .append(") Pause Young (Allocation Failure) 14M->6M(30M) 0.500ms\n");
        }
        log.append("[40.0s][info][gc] GC(40) Pause You"); // it is killed
        Files.writeString(directory.resolve("gc-2.log"), log);
        assertThat(GcLog.remarks(directory, 2)).singleElement().asString()
                .contains("collected 40 times, 39.9 ms in all, the longest 14.9 ms");
    }

    @Test
    void anAgentWithoutALogIsNotSpokenOf() {
        assertThat(GcLog.remarks(directory, 0)).isEqualTo(List.of());
    }
}
