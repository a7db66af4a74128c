package dev.bascule.host.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.HostileNames;
import dev.bascule.ffi.NativeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TieredProcessTest {
    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void aProcessHasOneOwnerAndTheSecondIsToldWho(int processes) throws Exception {
        List<Process> sleepers = new ArrayList<>();
        List<TieredProcess> first = new ArrayList<>();
        try {
            for (int n = 0; n < processes; n++) {
                sleepers.add(new ProcessBuilder("sleep", "1000").start());
                first.add(Objects.requireNonNull(TieredProcess.open((int) sleepers.get(n).pid())));
            }
            for (Process sleeper : sleepers) {
                assertThatThrownBy(() -> TieredProcess.open((int) sleeper.pid())).isInstanceOf(NativeException.class)
                        .hasMessageContaining("manage process " + sleeper.pid()).hasMessageContaining(
                                "process " + ProcessHandle.current().pid() + " manages its memory already");
            }
            first.forEach(TieredProcess::close);
            sleepers.forEach(sleeper -> Objects.requireNonNull(TieredProcess.open((int) sleeper.pid())).close());
        } finally {
            sleepers.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void aProcessWithAllBytesInItsNamesIsManagedLikeAnyOther() throws Exception {
        try (HostileNames names = new HostileNames(folder); AccessSource source = new Referenced()) {
            for (Process one : names.processes()) {
                try (TieredProcess process = Objects.requireNonNull(TieredProcess.open((int) one.pid()))) {
                    assertThat(process.look()).isTrue();
                    assertThat(process.mappings).hasSizeGreaterThan(2);
                    assertThat(process.isSame()).isTrue();
                    source.begin(process, new TreeMap<>());
                }
            }
        }
    }

    /** Looked at all the time, also between the loss of its memory and its end: some of these ends are met there. */
    @Test
    void aProcessThatEndsMeanwhileIsNoFault() throws Exception {
        for (int n = 0; n < 500; n++) {
            int pid = (int) new ProcessBuilder("true").start().pid();
            TieredProcess one = TieredProcess.open(pid);
            while (one != null) {
                one.close();
                one = TieredProcess.open(pid);
            }
        }
    }
}
