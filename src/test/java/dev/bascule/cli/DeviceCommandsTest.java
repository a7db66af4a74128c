package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.pci.ConfigSpaceBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** probe, regs, bind, unbind and vfs on a tree of files that stands for a machine. */
class DeviceCommandsTest {
    @TempDir
    private Path root = Path.of("");

    private Path device(String driver) throws IOException {
        Path folder = Files.createDirectories(root.resolve("bus/pci/devices/0000:03:00.0"));
        Files.createDirectories(root.resolve("bus/pci/drivers/vfio-pci"));
        Files.writeString(folder.resolve("vendor"), "0x1234\n");
        Files.writeString(folder.resolve("device"), "0x11e8\n");
        Files.writeString(folder.resolve("class"), "0x00ff00\n");
        Files.writeString(folder.resolve("driver_override"), "(null)\n");
        Files.writeString(root.resolve("bus/pci/drivers_probe"), "");
        Files.writeString(folder.resolve("resource"), "0x00000000fea00000 0x00000000feafffff 0x0000000000040200\n");
        Files.write(folder.resolve("config"), new ConfigSpaceBuilder(0x1234, 0x11e8, 0x00ff00, 0)
                .memoryBar(0, 1 << 20, false, false).msi(1).express().build().toBytes());
        Files.createSymbolicLink(folder.resolve("iommu_group"), Path.of("../../../../kernel/iommu_groups/4"));
        if (!driver.isEmpty()) {
            Files.createSymbolicLink(folder.resolve("driver"), Path.of("../../drivers/" + driver));
        }
        return folder;
    }

    private Cli call(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--sysfs", root.toString()));
        if (List.of("probe", "regs").contains(arguments[0])) {
            words.addAll(List.of("--dev", root.resolve("dev").toString()));
        } else if (!arguments[0].equals("vfs")) {
            words.addAll(List.of("--proc", root.resolve("proc").toString()));
        }
        return Cli.call(words.toArray(String[]::new));
    }

    @Test
    void probeDescribesWhatItCannotOpenAndSaysWhy() throws IOException {
        device("");
        Cli probed = call("probe", "03:00.0");
        assertThat(probed.status()).as(probed.err()).isZero();
        assertThat(probed.out()).startsWith("0000:03:00.0 1234:11e8\n")
                .containsPattern("Bascule driver +edu").containsPattern("IOMMU group +4: 0000:03:00.0 \\(no driver\\)")
                .containsPattern("BAR +0: 1M memory").containsPattern("MSI +1 vectors")
                .containsPattern("AtomicOps +no completer").contains("Not opened: open VFIO")
                .contains("ENOENT");
    }

    @Test
    void probeAsJsonIsOneDocument() throws IOException {
        device("e1000e");
        Cli probed = call("probe", "03:00.0", "--look", "--json");
        assertThat(probed.status()).as(probed.err()).isZero();
        assertThat(probed.out()).startsWith("{").endsWith("}\n").contains("\"address\": \"0000:03:00.0\"")
                .contains("\"opened\": false").contains("\"kernel driver\": \"e1000e\"").contains("\"problem\": null");
    }

    @Test
    void aDeviceThatIsNotThereIsAPlainFailure() throws IOException {
        device("");
        for (String command : List.of("probe", "bind", "unbind")) {
            Cli failed = call(command, "09:00.0");
            assertThat(failed.status()).as(command).isEqualTo(1);
            assertThat(failed.err()).startsWith("bascule: ").contains("no such PCI function")
                    .contains("bascule devices")
                    .doesNotContain("\tat ");
        }
        assertThat(call("regs", "09:00.0", "0", "0").err()).contains("no such PCI function");
        assertThat(call("probe", "nonsense").err()).contains("is not a PCI address");
    }

    @Test
    void bindWithoutTheKernelBehindItSaysThatNobodyTookTheDevice() throws IOException {
        Path folder = device("");
        Cli bound = call("bind", "03:00.0");
        assertThat(bound.status()).isEqualTo(1);
        assertThat(bound.err()).contains("vfio-pci did not take it").contains("dmesg");
        assertThat(Files.readString(folder.resolve("driver_override"))).startsWith("vfio-pci");
    }

    @Test
    void bindOfABoundDeviceSaysSoAndNamesTheNode() throws IOException {
        device("vfio-pci");
        Cli bound = call("bind", "03:00.0");
        assertThat(bound.status()).as(bound.err()).isZero();
        assertThat(bound.out()).isEqualTo("0000:03:00.0: vfio-pci already; /dev/vfio/4 (to drive it without root: sudo"
                + " chown $USER /dev/vfio/4)\n");
        assertThat(call("bind", "03:00.0", "--json").out()).contains("\"to\": \"vfio-pci\"")
                .contains("\"changed\": false").contains("\"iommuGroup\": 4");
    }

    @Test
    void unbindOfAForeignDeviceIsRefused() throws IOException {
        device("e1000e");
        assertThat(call("unbind", "03:00.0").err()).contains("belongs to e1000e, not to vfio-pci");
    }

    @Test
    void numbersAreChecked() throws IOException {
        device("");
        assertThat(call("regs", "03:00.0", "0", "zero").err()).contains("offset 'zero' is no number");
        assertThat(call("regs", "03:00.0", "0", "0", "--count", "0").err()).contains("1 to 4096");
        assertThat(call("regs", "03:00.0", "0", "0", "--kernel-interface", "usb").err())
                .contains("auto, group, cdev");
    }

    @Test
    void regsOfAnUnboundDeviceNamesTheCommand() throws IOException {
        device("");
        Files.createDirectories(root.resolve("dev/vfio"));
        Cli regs = call("regs", "03:00.0", "0", "0");
        assertThat(regs.status()).isEqualTo(1);
        assertThat(regs.err()).contains("modprobe vfio-pci");
    }

    @Test
    void noIommuModeWarns() throws IOException {
        device("");
        Cli probed = call("probe", "03:00.0", "--no-iommu");
        assertThat(probed.err()).contains("WARNING: no IOMMU");
    }

    @Test
    void virtualFunctionsAreListed() throws IOException {
        Path folder = device("igb");
        assertThat(call("vfs", "03:00.0").out()).isEqualTo("03:00.0 has no SR-IOV\n");
        Files.writeString(folder.resolve("sriov_totalvfs"), "8\n");
        Files.writeString(folder.resolve("sriov_numvfs"), "1\n");
        Files.createSymbolicLink(folder.resolve("virtfn0"), Path.of("../0000:03:10.0"));
        assertThat(call("vfs", "03:00.0").out()).isEqualTo("1 of 8 virtual functions\n0000:03:10.0\n");
        assertThat(call("vfs", "03:00.0", "--json").out()).contains("\"possible\": 8").contains("0000:03:10.0");
        assertThat(call("vfs", "03:00.0", "--create", "9").err()).contains("0 to 8 are possible");
    }
}
