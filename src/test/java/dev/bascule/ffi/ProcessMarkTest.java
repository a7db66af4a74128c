package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which process, on a made-up /proc. */
class ProcessMarkTest {
    @TempDir
    private Path proc = Path.of("");

    private ProcessMark mark = ProcessMark.own();

    @BeforeEach
    void aProcessRuns() throws IOException {
        Files.createDirectories(proc.resolve("self/ns"));
        Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[1]"));
        boot("first");
        stat("S", 500);
        mark = ProcessMark.of(proc, 77);
    }

    private void boot(String id) throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel/random"));
        Files.writeString(proc.resolve("sys/kernel/random/boot_id"), id + "\n");
    }

    /** A process whose name looks like more fields. */
    private void stat(String state, long startTicks) throws IOException {
        Files.createDirectories(proc.resolve("77"));
        Files.writeString(proc.resolve("77/stat"),
                "77 (a) Z 1 (b) " + state + " 1 77 77 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 "
                        + "1 0 " + startTicks + " 1000 100\n");
    }

    @Test
    void aLivingProcessIsNotGone() {
        assertThat(mark).isEqualTo(new ProcessMark(77, 500, "pid:[1]", "first"));
        assertThat(mark.isGone(proc)).isFalse();
        assertThat(ProcessMark.own().isGone()).isFalse();
        assertThat(ProcessMark.own().pid()).isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void aProcessThatEndedIsGone() throws IOException {
        Files.delete(proc.resolve("77/stat"));
        assertThat(mark.isGone(proc)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "Z", "X" })
    void aProcessThatNobodyWaitedForIsGone(String state) throws IOException {
        stat(state, 500);
        assertThat(mark.isGone(proc)).isTrue();
    }

    @Test
    void aLaterProcessOfTheSameNumberIsAnother() throws IOException {
        stat("S", 501);
        assertThat(mark.isGone(proc)).isTrue();
    }

    @Test
    void nothingOutlivesABoot() throws IOException {
        boot("second");
        assertThat(mark.isGone(proc)).isTrue();
    }

    @Test
    void aProcessOfAnotherContainerIsNotKnownToBeGone() throws IOException {
        Files.delete(proc.resolve("77/stat"));
        Files.delete(proc.resolve("self/ns/pid"));
        Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[2]"));
        assertThat(mark.isGone(proc)).isFalse();
    }

    @Test
    void withoutProcNothingIsKnown(@TempDir Path empty) {
        assertThat(mark.isGone(empty)).isFalse();
        assertThatThrownBy(() -> ProcessMark.of(empty, 77)).hasMessageContaining("process 77 is not there");
    }

    @Test
    void aMarkIsReadAsItWasWritten() {
        assertThat(ProcessMark.parse(mark.line() + "\n")).isEqualTo(mark);
        ProcessMark own = ProcessMark.own();
        assertThat(Objects.requireNonNull(ProcessMark.parse(own.line()))).isEqualTo(own);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "1 2 3", "x 2 n b", "1 y n b", "1 2 n b more" })
    void anythingElseIsNoMark(String line) {
        assertThat(ProcessMark.parse(line)).isNull();
    }
}
