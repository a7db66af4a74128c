package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** SR-IOV on QEMU's igb: the kernel's driver has the physical function, Bascule the virtual ones. */
@Tag("lab")
class VirtualFunctionsLabTest {
    private static final int VENDOR = 0x8086;
    private static final int PHYSICAL = 0x10c9;
    private static final int VIRTUAL = 0x10ca;

    private String card = "";

    @BeforeEach
    void card() {
        List<PciDevice> cards = Lab.devices(VENDOR, PHYSICAL);
        Assumptions.assumeTrue(!cards.isEmpty(), "this QEMU has no igb, which came with version 8");
        card = cards.get(0).address().toString();
        call("vfs", card, "--create", "0");
    }

    @AfterEach
    void none() {
        Lab.devices(VENDOR, VIRTUAL).forEach(one -> Cli.call("unbind", one.address().toString()));
        if (!card.isEmpty()) {
            Cli.call("vfs", card, "--create", "0");
        }
    }

    private static Cli call(String... arguments) {
        Cli called = Cli.call(arguments);
        assertThat(called.status()).as(called.err()).isZero();
        return called;
    }

    @Test
    void virtualFunctionsAreMadeListedAndTakenAwayAgain() {
        assertThat(call("vfs", card).out()).isEqualTo("0 of 7 virtual functions\n");
        assertThat(call("vfs", card, "--create", "2").out()).startsWith("2 of 7 virtual functions\n");
        assertThat(call("vfs", card, "--create", "3").out()).as("another number").startsWith("3 of 7");
        List<PciDevice> functions = Lab.devices(VENDOR, VIRTUAL);
        assertThat(functions).hasSize(3).allSatisfy(one -> assertThat(one.iommuGroup()).isNotNegative());
        assertThat(functions).extracting(PciDevice::iommuGroup).as("each isolated").doesNotHaveDuplicates();
        String listed = call("vfs", card, "--json").out();
        assertThat(listed).contains("\"possible\": 7", "\"present\": 3");
        assertThat(functions).allSatisfy(one -> assertThat(listed).contains(one.address().toString()));
        assertThat(Cli.call("vfs", card, "--create", "8").err()).contains("8 are asked for, 0 to 7 are possible");
        call("vfs", card, "--create", "0");
        assertThat(Lab.devices(VENDOR, VIRTUAL)).isEmpty();
    }

    @Test
    void aVirtualFunctionIsBoundAndProbedBesideItsPhysicalOne() {
        call("vfs", card, "--create", "2");
        String function = Lab.devices(VENDOR, VIRTUAL).get(1).address().toString();
        assertThat(call("bind", function).out()).contains("no driver -> vfio-pci; /dev/vfio/");
        assertThat(call("probe", function).out()).startsWith(function + " 8086:10ca\n")
                .containsPattern("opened by +(type-1|iommufd)").containsPattern("BAR +0: 16K")
                .containsPattern("BAR +3: 16K")
                .containsPattern("interrupts +msix: 3").containsPattern("reset +by itself")
                .containsPattern("DMA addresses +0x0-0xfedfffff").doesNotContain("Not opened");
        assertThat(call("regs", function, "config", "0", "--width", "2").out()).isEqualTo("0x000000  0x8086\n");
        assertThat(call("regs", function, "0", "0x8").out()).startsWith("0x000008  0x");
        assertThat(PciDevices.list(Lab.SYSFS)).filteredOn(one -> one.address().toString().equals(card))
                .allSatisfy(one -> assertThat(one.driver()).isEqualTo("igb"));
        assertThat(call("probe", card, "--look").out()).containsPattern("virtual functions +2 of 7");
        assertThat(call("unbind", function).out()).contains("vfio-pci -> no driver");
    }
}
