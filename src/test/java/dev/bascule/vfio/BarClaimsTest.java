package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.MemoryType;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

    private void combining(String file) throws Exception {
        bars("0x0 0x0 0x0", "0x0 0x0 0x0", "0x00000000fc000000 0x00000000fc000fff 0x000000000014220c");
        Files.write(device.resolve(file), new byte[4096]);
        Files.write(device.resolve("config"), new byte[64]);
    }

    @Test
    void onX86TheBarIsClaimedBeforeVfioHasItAndVfiosMappingIsUsed() throws Exception {
        combining("resource2_wc");
        try (BarClaims claims = BarClaims.of(device, Set.of(2), "amd64")) {
            assertThat(mappings()).isEqualTo(1);
            claims.settle();
            assertThat(claims.own(2)).isEmpty();
            claims.release();
            assertThat(mappings()).isZero();
        }
    }

    @Test
    void onAarch64TheBarIsNormalNonCacheableByAMappingOfItsOwnOnceVfioHasIt() throws Exception {
        combining("resource2_wc");
        try (BarClaims claims = BarClaims.of(device, Set.of(2), "aarch64")) {
            assertThat(mappings()).as("VFIO's request would take it away").isZero();
            claims.settle();
            claims.release();
            MemorySegment own = claims.own(2).orElseThrow();
            assertThat(own.byteSize()).isEqualTo(4096);
            own.set(ValueLayout.JAVA_BYTE, 17, (byte) 5);
            assertThat(Files.readAllBytes(device.resolve("resource2_wc"))[17]).isEqualTo((byte) 5);
            assertThat(claims.type(2)).as("no list is needed").isEqualTo(new BarType(MemoryType.WC, MemoryType.WC, ""));
            assertThat(claims.own(0)).isEmpty();
            assertThat(claims.type(0)).as("VFIO's: device memory").isEqualTo(new BarType(MemoryType.UC, MemoryType.UC,
                    ""));
        }
        assertThat(mappings()).isZero();
    }

    @Test
    void onAarch64ABarThatTheKernelKeepsForVfioIsDeviceMemoryAndTheCureIsSaid() throws Exception {
        combining("other");
        Files.createDirectory(device.resolve("resource2_wc")); // cannot be opened to write: EISDIR
        try (BarClaims claims = BarClaims.of(device, Set.of(2), "aarch64")) {
            claims.settle();
            assertThat(claims.own(2)).isEmpty();
            assertThat(claims.type(2).toString()).isEqualTo("UC instead of WC: " + device.resolve("resource2_wc")
                    + ": EISDIR; with strict device memory the kernel keeps it for VFIO; boot with iomem=relaxed");
        }
    }

    @Test
    void onAarch64TheOtherReasonsAreTheSame() throws Exception {
        bars("0x00000000fc000000 0x00000000fc000fff 0x0000000000040200");
        try (BarClaims claims = BarClaims.of(device, Set.of(0), "aarch64")) {
            claims.settle();
            assertThat(claims.type(0).remark()).contains("not prefetchable");
        }
    }

    /** How often the file is mapped here. */
    private long mappings() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.endsWith(device.resolve("resource2_wc").toString())).count();
        }
    }
}
