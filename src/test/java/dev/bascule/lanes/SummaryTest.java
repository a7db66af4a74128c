package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SummaryTest {
    @TempDir
    private Path folder = Path.of("");

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private Summary summary;
    private Path file = Path.of("");

    @BeforeEach
    void begin() throws Exception {
        file = folder.resolve("a folder/summary.txt");
        summary = new Summary(new PrintStream(said, true, StandardCharsets.UTF_8), file);
    }

    @Test
    void withoutAFailureTheTotalsAreTheLastLine() {
        summary.add(new LaneResult("unit", LaneResult.Status.RAN, "3 tests", new Counts(2, 0, 1),
                List.of("    skipped: A.b: no device")));
        summary.add(LaneResult.skipped("long", "not asked for"));
        assertThat(summary.end()).isZero();
        assertThat(said.toString(StandardCharsets.UTF_8)).isEqualTo("""
                unit         ran      3 tests
                    skipped: A.b: no device
                long         skipped  not asked for
                2 passed, 0 failed, 1 skipped
                """);
    }

    @Test
    void failuresAreSaidAgainAtTheEndAndKept() throws Exception {
        summary.add(new LaneResult("unit", LaneResult.Status.FAILED, "3 tests", new Counts(2, 1, 0),
                List.of("    failed: A.b: no")));
        summary.add(LaneResult.ran("format", "good"));
        assertThat(summary.end()).isEqualTo(1);
        assertThat(said.toString(StandardCharsets.UTF_8)).endsWith("""
                again: failed: A.b: no
                again: unit: 3 tests
                1 lane failed: unit
                2 passed, 1 failed, 0 skipped
                """);
        assertThat(Files.readString(file)).isEqualTo("unit failed 3 tests\n    failed: A.b: no\nformat ran good\n");
    }

    @Test
    void aLaneThatMustRunAndDidNotHasFailed() {
        summary.add(LaneResult.ran("unit", "3 tests"));
        summary.add(LaneResult.skipped("long", "not asked for"));
        summary.require(List.of("unit", "long", "models"));
        assertThat(summary.end()).isEqualTo(1);
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("long         failed   it must run and did not: not asked for")
                .contains("models       failed   it must run and did not: nobody started it")
                .contains("2 lanes failed: long, models");
    }
}
