package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.nic.virtio.VirtioRegisters;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands about devices where there are some. */
@Tag("lab")
class DeviceCommandsLabTest {
    private static Cli call(String... arguments) {
        Cli called = Cli.call(arguments);
        assertThat(called.status()).as(called.err()).isZero();
        return called;
    }

    @Test
    void aDeviceGoesToVfioAndBackToItsKernelDriver() {
        String card = Lab.devices(VirtioRegisters.VENDOR_ID, VirtioRegisters.NET_DEVICE_ID).get(0).address().toString();
        Cli.call("unbind", card); // another test may have bound it
        assertThat(call("devices").out()).containsPattern(card + " +1af4:1041 +Ethernet +virtio-pci +\\d+ .* virtio ");
        assertThat(call("bind", card).out()).contains("virtio-pci -> vfio-pci; /dev/vfio/");
        assertThat(call("devices").out()).containsPattern(card + " +1af4:1041 +Ethernet +vfio-pci");
        assertThat(call("doctor").out()).containsPattern("device " + card + " +ok +virtio, bound and accessible");
        assertThat(call("unbind", card).out()).contains("vfio-pci -> virtio-pci");
        assertThat(call("bind", card, "--json").out()).contains("\"to\": \"vfio-pci\"");
    }

    @Test
    void probeAndRegsTalkToTheDevice() {
        String edu = Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0).toString();
        assertThat(call("probe", edu).out()).startsWith(edu + " 1234:11e8").containsPattern("Bascule driver +edu")
                .containsPattern("opened by +(type-1|iommufd)").containsPattern("BAR +0: 1M, mappable")
                .containsPattern("interrupts +msi: 1").containsPattern("DMA addresses +0x0-0xfedfffff")
                .containsPattern("register identity +0x010000ed").contains("seen in the lab guest");
        assertThat(call("probe", edu, "--json").out()).contains("\"opened\": true").contains("\"mappingsLeft\":");
        assertThat(call("regs", edu, "0", "0x0", "--count", "2").out()).startsWith("0x000000  0x010000ed\n0x000004  ");
        call("regs", edu, "0", "0x4", "--write", "0x0000ffff");
        assertThat(call("regs", edu, "config", "0", "--width", "2").out()).isEqualTo("0x000000  0x1234\n");
        assertThat(Cli.call("regs", edu, "0", "0x100000").err()).contains("not an aligned offset");
        assertThat(Cli.call("regs", edu, "4", "0").err()).contains("does not implement it");
    }

    @Test
    void bridgesAreNotTaken() {
        String bridge = dev.bascule.pci.PciDevices.list(Lab.SYSFS).stream()
                .filter(device -> device.classCode() >>> 16 == 6).findFirst().orElseThrow().address().toString();
        assertThat(Cli.call("bind", bridge).err()).contains("it is a bridge");
    }
}
