package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.lab.Lab;
import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.VirtualFunctions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A virtual function whose physical one vfio-pci has, too: QEMU's igb. */
@Tag("lab")
class VfTokenLabTest {
    private static final Path ENABLE = Path.of("/sys/module/vfio_pci/parameters/enable_sriov");
    private static final VfioOptions GROUP = VfioOptions.DEFAULT.with(VfioOptions.KernelInterface.GROUP);

    private PciAddress card = PciAddress.parse("00:00.0");
    private boolean taken;

    @AfterEach
    void giveBack() {
        if (taken) {
            new VirtualFunctions(Lab.SYSFS, card).create(0);
            new DriverBinding(Lab.SYSFS, Lab.PROC).unbind(card, false);
        }
    }

    @Test
    void onlyWhoKnowsTheTokenOfThePhysicalFunctionsProcessIsLetIn() throws Exception {
        List<PciDevice> cards = Lab.devices(0x8086, 0x10c9);
        Assumptions.assumeTrue(!cards.isEmpty(), "this QEMU has no igb, which came with version 8");
        Assumptions.assumeTrue(Files.isWritable(ENABLE), "this kernel's vfio-pci makes no virtual functions");
        Files.writeString(ENABLE, "Y");
        card = cards.getFirst().address();
        new VirtualFunctions(Lab.SYSFS, card).create(0);
        new DriverBinding(Lab.SYSFS, Lab.PROC).bind(card, false, true);
        taken = true;
        PciAddress function = new VirtualFunctions(Lab.SYSFS, card).create(1).getFirst();
        new DriverBinding(Lab.SYSFS, Lab.PROC).bind(function, false, false);
        UUID token = UUID.fromString("14d63f20-8445-11ea-8900-1f9ce7d5650d");
        try (VfioDevice physical = VfioDevice.open(card, GROUP.withToken(token))) {
            assertThat(physical.info().vendorId()).isEqualTo(0x8086);
            assertThatThrownBy(() -> VfioDevice.open(function, GROUP).close()).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("EACCES").hasMessageContaining("--vf-token");
            assertThatThrownBy(() -> VfioDevice.open(function, GROUP.withToken(UUID.randomUUID())).close())
                    .isInstanceOf(DeviceException.class).hasMessageContaining("does not take the token");
            try (VfioDevice virtual = VfioDevice.open(function, GROUP.withToken(token))) {
                assertThat(virtual.info().deviceId()).isEqualTo(0x10ca);
                assertThat(virtual.bars()).isNotEmpty();
            }
            try (VfioDevice virtual = VfioDevice.open(function, VfioOptions.DEFAULT.withToken(token))) {
                assertThat(virtual.iommu()).isNotNull();
            }
        }
    }
}
