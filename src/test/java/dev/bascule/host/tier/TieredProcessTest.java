package dev.bascule.host.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.HostileNames;
import dev.bascule.ffi.NativeException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TieredProcessTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void aProcessHasOneOwnerAndTheSecondIsToldWho() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "1000").start();
        try {
            int pid = (int) sleeper.pid();
            TieredProcess first = Objects.requireNonNull(TieredProcess.open(pid));
            assertThatThrownBy(() -> TieredProcess.open(pid)).isInstanceOf(NativeException.class)
                    .hasMessageContaining("manage process " + pid)
                    .hasMessageContaining("process " + ProcessHandle.current().pid() + " manages its memory already");
            first.close();
            Objects.requireNonNull(TieredProcess.open(pid)).close();
        } finally {
            sleeper.destroyForcibly();
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
}
