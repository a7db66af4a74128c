package dev.bascule.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import dev.bascule.pci.MsixCapability;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules of hosted interrupts that the conformance tests of the backings do not reach. */
class HostedInterruptsTest {
    private final List<String> delivered = new ArrayList<>();
    private final ConfigSpace config = config();
    private final HostedInterrupts<String> byConfig = new HostedInterrupts<>(config, true, delivered::add);

    private static ConfigSpace config() {
        return new ConfigSpaceBuilder(0x1234, 0x0e00, 0xff0000, 0).memoryBar(0, 4096, false, false).interruptPin(1)
                .msi(4).msix(4, 0, 0x800, 0, 0xc00).build();
    }

    @Test
    void aPinThatIsAssertedIsDeliveredToItsNextTaker() {
        byConfig.setPin(true);
        assertThat(byConfig.dropped()).as("nobody takes it").isEqualTo(1);
        byConfig.connect(InterruptKind.INTX, 0, "pin");
        assertThat(delivered).containsExactly("pin");
        byConfig.setPin(true);
        assertThat(delivered).as("masked by its delivery").hasSize(1);
        assertThat(byConfig.pending(InterruptKind.INTX, 0)).isTrue();
        byConfig.setMasked(InterruptKind.INTX, 0, false);
        assertThat(delivered).hasSize(2);
        byConfig.connect(InterruptKind.INTX, 0, null);
        assertThat(byConfig.dropped()).isEqualTo(1);
    }

    @Test
    void aPendingMessageIsDeliveredToWhoTakesTheVector() {
        byConfig.connect(InterruptKind.MSIX, 0, "zero");
        byConfig.raise(2);
        byConfig.raise(0);
        assertThat(delivered).containsExactly("zero");
        assertThat(byConfig.pending(InterruptKind.MSIX, 2)).isTrue();
        assertThat(byConfig.connect(InterruptKind.MSIX, 2, "two")).isNull();
        assertThat(delivered).containsExactly("zero", "two");
        assertThat(byConfig.connect(InterruptKind.MSIX, 2, null)).isEqualTo("two");
        assertThat(byConfig.takers()).containsExactly("zero");
        byConfig.raise(2);
        assertThat(byConfig.pending(InterruptKind.MSIX, 2)).as("a vector without taker is masked").isTrue();
    }

    @Test
    void configSpaceSaysWhatIsEnabledOrTheTakersDo() {
        MsixCapability msix = MsixCapability.of(config).orElseThrow();
        byConfig.connect(InterruptKind.MSIX, 1, "one");
        assertThat(msix.enabled(config)).isTrue();
        config.write(msix.offset() + 2, 2, 0);
        byConfig.configChanged();
        byConfig.raise(1);
        assertThat(delivered).isEmpty();
        ConfigSpace other = config();
        HostedInterrupts<String> byTakers = new HostedInterrupts<>(other, false, delivered::add);
        byTakers.connect(InterruptKind.MSIX, 1, "one");
        byTakers.configChanged();
        byTakers.raise(1);
        assertThat(msix.enabled(other)).isFalse();
        assertThat(delivered).containsExactly("one");
        byTakers.reset(config());
        byTakers.raise(1);
        assertThat(delivered).as("takers survive a reset").containsExactly("one", "one");
    }

    @Test
    void theLastTakerOfMsiSwitchesItOffWhereConfigSpaceSaysWhatIsEnabled() {
        int at = Capabilities.of(config).find(Capability.MSI).map(Capability::offset).orElseThrow() + 2;
        for (boolean says : new boolean[] { true, false }) {
            ConfigSpace space = config();
            HostedInterrupts<String> hosted = new HostedInterrupts<>(space, says, delivered::add);
            hosted.connect(InterruptKind.MSI, 0, "a");
            hosted.connect(InterruptKind.MSI, 1, "b");
            hosted.connect(InterruptKind.MSI, 0, null);
            assertThat(space.read16(at) & 1).isEqualTo(1);
            hosted.connect(InterruptKind.MSI, 1, null);
            assertThat(space.read16(at) & 1).isEqualTo(says ? 0 : 1);
        }
    }
}
