package dev.bascule.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ConfigSpaceTest {
    private static ConfigSpaceBuilder builder() {
        return new ConfigSpaceBuilder(0x1234, 0x5678, 0x020000, 3);
    }

    @Test
    void identityIsWhereTheHeaderHasIt() {
        ConfigSpace config = builder().subsystem(0xabcd, 0xef01).interruptPin(1).build();
        assertThat(config.read32(0)).isEqualTo(0x56781234);
        assertThat(config.read32(8)).isEqualTo(0x02000003);
        assertThat(config.read32(0x2c)).isEqualTo(0xef01abcd);
        assertThat(config.read8(0x3d)).isEqualTo(1);
        assertThat(config.sizeBytes()).isEqualTo(256);
    }

    @Test
    void identityCannotBeWritten() {
        ConfigSpace config = builder().build();
        config.write(0, 4, 0);
        config.write(8, 4, 0);
        assertThat(config.read32(0)).isEqualTo(0x56781234);
        assertThat(config.read32(8)).isEqualTo(0x02000003);
    }

    @Test
    void barsAnswerSizing() {
        ConfigSpace config = builder().memoryBar(0, 4096, false, false).memoryBar(2, 1L << 34, true, true).build();
        for (int at = 0x10; at < 0x28; at += 4) {
            config.write(at, 4, -1);
        }
        assertThat(config.read32(0x10)).isEqualTo(0xfffff000);
        assertThat(config.read32(0x14)).as("no BAR 1").isZero();
        assertThat(config.read32(0x18)).as("64 bit, prefetchable").isEqualTo(0x0000000c);
        assertThat(config.read32(0x1c)).isEqualTo(0xfffffffc);
    }

    @Test
    void commandKeepsItsBitsAndDropsTheOthers() {
        ConfigSpace config = builder().build();
        config.write(4, 2, 0xffff);
        assertThat(config.read16(4)).isEqualTo(0x0546);
        config.write(4, 1, 0);
        assertThat(config.read16(4)).isEqualTo(0x0500);
    }

    @Test
    void capabilitiesAreFoundInOrder() {
        ConfigSpace config = builder().powerManagement().msi(4).msix(32, 0, 0x10000, 0, 0x18000).express()
                .vendor(new byte[] { 1, 2, 3 }).build();
        Capabilities found = Capabilities.of(config);
        assertThat(found.problems()).isEmpty();
        assertThat(found.list()).extracting(Capability::name)
                .containsExactly("power management", "MSI", "MSI-X", "PCI Express", "vendor-specific");
        assertThat(config.sizeBytes()).isEqualTo(4096);
    }

    @Test
    void msixIsDecoded() {
        ConfigSpace config = builder().msix(65, 0, 0x10000, 4, 0x18000).build();
        MsixCapability msix = MsixCapability.of(config).orElseThrow();
        assertThat(msix).isEqualTo(new MsixCapability(0x40, 65, 0, 0x10000, 4, 0x18000));
        assertThat(msix.tableBytes()).isEqualTo(1040);
        assertThat(msix.pbaBytes()).isEqualTo(16);
        assertThat(msix.enabled(config)).isFalse();
        config.write(0x42, 2, 0xffff);
        assertThat(msix.enabled(config)).isTrue();
        assertThat(msix.functionMasked(config)).isTrue();
        assertThat(config.read16(0x42) & 0x7ff).as("table size is read-only").isEqualTo(64);
    }

    @Test
    void noCapabilityBitMeansNoWalk() {
        byte[] bytes = builder().msix(1, 0, 0, 0, 64).build().toBytes();
        bytes[6] = 0;
        assertThat(Capabilities.of(ConfigSpace.copyOf(bytes)).list()).isEmpty();
        assertThat(MsixCapability.of(ConfigSpace.copyOf(bytes))).isEmpty();
    }

    @Test
    void loopsAndWildPointersEndTheWalk() {
        byte[] loop = builder().powerManagement().msi(1).build().toBytes();
        loop[0x49] = 0x40;
        assertThat(Capabilities.of(ConfigSpace.copyOf(loop)).problems()).containsExactly(
                "capability chain comes back to 0x40");
        byte[] wild = builder().powerManagement().build().toBytes();
        wild[0x41] = 0x10;
        assertThat(Capabilities.of(ConfigSpace.copyOf(wild)).problems().getFirst()).contains("pointer 0x10");
        byte[] gone = new byte[256];
        java.util.Arrays.fill(gone, (byte) 0xff);
        assertThat(Capabilities.of(ConfigSpace.copyOf(gone)).problems().getFirst()).contains("no device answers");
    }

    @Test
    void extendedCapabilitiesAreFoundAndTheirLoopsToo() {
        ConfigSpace config = builder().express().build();
        config.set(0x100, 4, 0x14010001); // AER, next 0x140
        config.set(0x140, 4, 0x00010010); // SR-IOV, last
        assertThat(Capabilities.of(config).list()).filteredOn(Capability::extended).extracting(Capability::name)
                .containsExactly("advanced error reporting", "SR-IOV");
        config.set(0x140, 4, 0x10010010);
        assertThat(Capabilities.of(config).problems()).containsExactly("extended capability chain comes back to 0x100");
    }

    @Test
    void hostileConfigSpaceNeverThrowsOrHangs() {
        long seed = System.nanoTime();
        System.out.println("hostileConfigSpaceNeverThrowsOrHangs seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[new int[] { 64, 256, 4096 }[round % 3]];
            random.nextBytes(bytes);
            bytes[6] |= 0x10;
            if (round % 2 == 0) { // small pointers make long chains
                for (int i = 0x34; i < Math.min(bytes.length, 256); i++) {
                    bytes[i] = (byte) (0x40 + random.nextInt(48) * 4);
                }
            }
            ConfigSpace config = ConfigSpace.copyOf(bytes);
            Capabilities found = Capabilities.of(config);
            assertThat(found.list()).as("seed %d round %d", seed, round).hasSizeLessThanOrEqualTo(48 + 960);
            MsixCapability.of(config).ifPresent(msix -> assertThat(msix.tableBar()).isBetween(0, 5));
        }
    }

    @Test
    void impossiblePartsAreRefused() {
        assertThatThrownBy(() -> ConfigSpace.copyOf(new byte[100])).hasMessageContaining("64, 256 or 4096");
        assertThatThrownBy(() -> builder().memoryBar(5, 4096, true, true)).hasMessageContaining("BAR 5");
        assertThatThrownBy(() -> builder().memoryBar(0, 5000, false, false)).hasMessageContaining("5000");
        assertThatThrownBy(() -> builder().msi(3)).hasMessageContaining("3 vectors");
        assertThatThrownBy(() -> builder().msix(0, 0, 0, 0, 0)).hasMessageContaining("0 vectors");
        assertThatThrownBy(() -> builder().vendor(new byte[200])).hasMessageContaining("no room");
        assertThatThrownBy(() -> builder().build().read(255, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> builder().build().read(0, 3)).isInstanceOf(IllegalArgumentException.class);
    }
}
