package dev.bascule.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CapabilityFactsTest {
    private static byte[] express() {
        return new ConfigSpaceBuilder(0x1234, 1, 0x020000, 0).memoryBar(0, 4096, false, false).powerManagement().msi(4)
                .msix(8, 0, 0x800, 0, 0xc00).express().build().toBytes();
    }

    private static void put32(byte[] bytes, int at, int value) {
        for (int i = 0; i < 4; i++) {
            bytes[at + i] = (byte) (value >>> 8 * i);
        }
    }

    private static String text(byte[] bytes, String name) {
        return CapabilityFacts.of(ConfigSpace.copyOf(bytes)).stream().filter(fact -> fact.name().equals(name))
                .map(CapabilityFacts.Fact::text).findFirst().orElseThrow(() -> new AssertionError("no " + name));
    }

    @Test
    void theUsualOnesAreRead() {
        byte[] bytes = express();
        assertThat(text(bytes, "power management")).isEqualTo("in D0, no soft reset");
        assertThat(text(bytes, "MSI")).isEqualTo("4 vectors, 64-bit, maskable, off");
        assertThat(text(bytes, "MSI-X")).isEqualTo("8 vectors, table in BAR 0 at 0x800, off");
        assertThat(text(bytes, "PCI Express")).startsWith("endpoint, 8 GT/s x16 of 8 GT/s x16, function-level reset")
                .endsWith("AtomicOps: no completer, requester off");
    }

    @Test
    void atomicOpsAreReported() {
        byte[] bytes = express();
        int at = Capabilities.of(ConfigSpace.copyOf(bytes)).find(Capability.EXPRESS).orElseThrow().offset();
        put32(bytes, at + 36, 0x180);
        put32(bytes, at + 40, 0x40);
        ExpressCapability found = ExpressCapability.of(ConfigSpace.copyOf(bytes)).orElseThrow();
        assertThat(found.atomics().completes()).isTrue();
        assertThat(found.atomics().text()).isEqualTo("completer for 32 64 bits, requester enabled");
        assertThat(found.canReset()).isTrue();
        assertThat(found.payloadBytes()).isEqualTo(128 << (0x2810 >>> 5 & 7));
    }

    @Test
    void extendedOnesAreRead() {
        byte[] bytes = express();
        put32(bytes, 0x100, 0x0001 | 1 << 16 | 0x140 << 20);
        put32(bytes, 0x104, 0x4000);
        put32(bytes, 0x140, 0x0010 | 1 << 16 | 0x180 << 20);
        put32(bytes, 0x140 + 12, 8 << 16);
        put32(bytes, 0x140 + 16, 2);
        put32(bytes, 0x140 + 20, 2 << 16 | 0x80);
        put32(bytes, 0x140 + 24, 0x10ca << 16);
        put32(bytes, 0x180, 0x0015 | 1 << 16 | 0x1c0 << 20);
        put32(bytes, 0x184, 0x70 << 4);
        put32(bytes, 0x188, 2 | 1 << 5 | 6 << 8);
        put32(bytes, 0x1c0, 0x000f | 1 << 16);
        put32(bytes, 0x1c4, 0x8000_0000);
        assertThat(text(bytes, "advanced error reporting"))
                .isEqualTo("uncorrectable 0x00004000, correctable 0x00000000");
        assertThat(text(bytes, "SR-IOV"))
                .isEqualTo("8 virtual functions possible, 2 on; device id 10ca, first at +128, every 2");
        assertThat(text(bytes, "resizable BAR")).isEqualTo("BAR 2 has 64M, possible 16M 32M 64M");
        assertThat(text(bytes, "address translation services")).isEqualTo("queue of 32, enabled");
    }

    @Test
    void whatAnOrdinaryUserMayReadEndsWithoutCapabilities() {
        List<CapabilityFacts.Fact> facts = CapabilityFacts.of(ConfigSpace.copyOf(Arrays.copyOf(express(), 64)));
        assertThat(facts).isEmpty();
    }

    @Test
    void aCapabilityCutOffSaysSo() {
        byte[] bytes = new byte[256];
        put32(bytes, 0, 0x0001_1234);
        bytes[6] = 0x10;
        bytes[0x34] = (byte) 0xf8;
        put32(bytes, 0xf8, Capability.MSIX);
        assertThat(CapabilityFacts.of(ConfigSpace.copyOf(bytes))).singleElement()
                .satisfies(fact -> assertThat(fact.text()).isEqualTo("names a BAR that cannot exist"));
        put32(bytes, 0xfc, 0);
        bytes[0x34] = (byte) 0xfc;
        put32(bytes, 0xfc, Capability.POWER_MANAGEMENT);
        assertThat(CapabilityFacts.of(ConfigSpace.copyOf(bytes))).singleElement()
                .satisfies(fact -> assertThat(fact.text()).startsWith("cut off"));
    }
}
