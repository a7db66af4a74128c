package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.MemoryType;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BarClaimsTest {
    @TempDir
    private Path device = Path.of("");

    private void bars(String... lines) throws Exception {
        Files.write(device.resolve("resource"), java.util.List.of(lines));
    }

    private BarType claimed(int bar) {
        try (BarClaims claims = BarClaims.of(device, Set.of(bar))) {
            return claims.type(bar);
        }
    }

    @Test
    void aBarThatIsNotPrefetchableStaysUncached() throws Exception {
        bars("0x00000000fc000000 0x00000000fc000fff 0x0000000000040200");
        BarType type = claimed(0);
        assertThat(type.asked()).isEqualTo(MemoryType.WC);
        assertThat(type.effective()).isEqualTo(MemoryType.UC);
        assertThat(type.isWrong()).isTrue();
        assertThat(type.toString()).startsWith("UC instead of WC: ").contains("not prefetchable");
    }

    @Test
    void aBarThatDoesNotExistStaysUncachedToo() throws Exception {
        bars("0x00000000fc000000 0x00000000fc000fff 0x0000000000040200");
        assertThat(claimed(5).effective()).isEqualTo(MemoryType.UC);
    }

    @Test
    void theTableOfVectorsIsNotMappedWriteCombining() throws Exception {
        bars("0x0 0x0 0x0", "0x0 0x0 0x0", "0x00000000fc000000 0x00000000fc000fff 0x000000000014220c");
        Files.write(device.resolve("resource2_wc"), new byte[4096]);
        byte[] config = new byte[256];
        var space = new ConfigSpaceBuilder(0x1234, 0x5678, 0x020000, 1).memoryBar(2, 4096, true, true)
                .msix(4, 2, 0, 2, 2048).build();
        for (int i = 0; i < config.length; i++) {
            config[i] = (byte) space.read8(i);
        }
        Files.write(device.resolve("config"), config);
        assertThat(claimed(2).remark()).contains("table of MSI-X");
    }

    @Test
    void whatTheKernelDoesNotListIsNotKnownAndTakenForWhatWasAskedFor() throws Exception {
        bars("0x0 0x0 0x0", "0x0 0x0 0x0", "0x00000000fc000000 0x00000000fc000fff 0x000000000014220c");
        Files.write(device.resolve("resource2_wc"), new byte[4096]);
        Files.write(device.resolve("config"), new byte[64]);
        BarType type = claimed(2);
        assertThat(type.effective()).isNull();
        assertThat(type.safe()).isEqualTo(MemoryType.WC);
        assertThat(type.toString()).contains("not known what it is");
    }
}
