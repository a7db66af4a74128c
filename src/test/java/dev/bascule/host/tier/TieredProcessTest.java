package dev.bascule.host.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.HostileNames;
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
