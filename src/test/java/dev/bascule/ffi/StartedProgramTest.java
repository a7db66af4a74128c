package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program's children, as long as it runs, and when it ends between two looks. */
@Timeout(60)
class StartedProgramTest {
    private static Process start(String... words) {
        return ProgramStart.start(Stream.of(words).map(word -> word.getBytes(StandardCharsets.UTF_8)).toList(),
                List.of("PATH=/usr/bin:/bin".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void oneThatHasEndedHasNoChildren() throws Exception {
        Process program = start("true");
        assertThat(program.waitFor()).isZero();
        assertThat(program.children()).isEmpty();
        assertThat(program.descendants()).isEmpty();
    }

    @Test
    void whoLooksWhileItEndsIsNotTold() throws Exception {
        for (int i = 0; i < 50; i++) {
            Process program = start("true");
            while (program.isAlive()) {
                assertThat(program.descendants()).isEmpty();
            }
            assertThat(program.waitFor()).isZero();
        }
    }

    @Test
    void oneThatRunsHasItsChildrenAndTheirs() throws Exception {
        Process program = start("sh", "-c", "sh -c 'sleep 60 & wait' & wait");
        List<ProcessHandle> all = List.of();
        try {
            while (all.size() < 2) {
                all = program.descendants().toList();
            }
            assertThat(program.children()).hasSize(1);
        } finally {
            program.destroyForcibly();
            all.forEach(ProcessHandle::destroyForcibly);
        }
        assertThat(program.waitFor()).isEqualTo(128 + 9);
    }
}
