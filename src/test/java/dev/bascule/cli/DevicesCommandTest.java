package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.doctor.KnownDevices;
import dev.bascule.doctor.PciClasses;
import dev.bascule.pci.PciDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DevicesCommandTest {
    @TempDir
    private Path sysfs = Path.of("");

    private Path device(String address, String vendor, String device, String classCode) throws IOException {
        Path folder = Files.createDirectories(sysfs.resolve("bus/pci/devices").resolve(address));
        Files.writeString(folder.resolve("vendor"), vendor + "\n");
        Files.writeString(folder.resolve("device"), device + "\n");
        Files.writeString(folder.resolve("class"), classCode + "\n");
        return folder;
    }

    @Test
    void everyColumnIsFilled() throws IOException {
        Path card = device("0000:03:00.0", "0x1234", "0x1001", "0x020000");
        Files.writeString(card.resolve("numa_node"), "1\n");
        Files.writeString(card.resolve("resource"), "0x00000000fe000000 0x00000000feffffff 0x0000000000040200\n"
                + "0x000000000000c000 0x000000000000c03f 0x0000000000040101\n"
                + "0x0000380000000000 0x000038000fffffff 0x000000000014220c\n");
        Files.createSymbolicLink(card.resolve("driver"), Path.of("../drivers/vfio-pci"));
        Files.createSymbolicLink(card.resolve("iommu_group"), Path.of("../iommu_groups/17"));
        Cli listed = Cli.call("devices", "--sysfs", sysfs.toString());
        assertThat(listed.status()).isZero();
        assertThat(listed.out().lines().filter(line -> line.startsWith("0000:"))).singleElement().asString()
                .matches("0000:03:00.0 +1234:1001 +Ethernet +vfio-pci +17 +1 +corundum +0:16M, 1:64 io, 2:256M pref");
    }

    @Test
    void whatIsUnknownIsADash() throws IOException {
        Files.createDirectories(sysfs.resolve("bus/pci/devices/0000:00:05.0"));
        Cli listed = Cli.call("devices", "--sysfs", sysfs.toString());
        assertThat(listed.out().lines().filter(line -> line.startsWith("0000:"))).singleElement().asString()
                .matches("0000:00:05.0 +\\?{4}:\\?{4} +unknown +- +- +- +- *");
    }

    @Test
    void aMachineWithoutPciIsToldSo() throws IOException {
        Cli none = Cli.call("devices", "--sysfs", sysfs.toString());
        assertThat(none.status()).isZero();
        assertThat(none.out()).contains("has no PCI bus (no " + sysfs.resolve("bus/pci/devices") + ")")
                .contains("bascule run --quick");
        Files.createDirectories(sysfs.resolve("bus/pci/devices"));
        assertThat(Cli.call("devices", "--sysfs", sysfs.toString()).out()).contains("has no PCI devices");
    }

    @Test
    void jsonOfAMachineWithoutPciIsAnEmptyList() {
        assertThat(Cli.call("devices", "--json", "--sysfs", sysfs.toString()).out())
                .isEqualToIgnoringWhitespace("{\"devices\": []}");
    }

    @Test
    void jsonHasNumbersAndNulls() {
        PciDevice device = new PciDevice(dev.bascule.pci.PciAddress.parse("03:00.0"), 0x1172, 0, 0x020000, null, -1, 0,
                List.of(new PciDevice.BarRange(2, 1L << 30, true, true, true)));
        assertThat(DevicesCommand.json(List.of(device))).isEqualToIgnoringWhitespace("""
                {"devices": [{"address": "0000:03:00.0", "vendorId": 4466, "deviceId": 0, "classCode": 131072,
                "class": "Ethernet", "kernelDriver": null, "iommuGroup": null, "numaNode": 0, "basculeDriver": "enso",
                "bars": [{"index": 2, "sizeBytes": 1073741824, "kind": "memory", "prefetchable": true,
                "is64Bit": true}]}]}""");
    }

    @ParameterizedTest
    @CsvSource({ "1234, 1001, corundum", "5543, 1001, corundum", "1172, 0000, enso", "1172, 09c4, enso",
            "1234, ba5c, smartnic", "1234, 11e8, edu", "1af4, 1110, ivshmem", "1af4, 11e8, ''", "8086, 1001, ''",
            "1172, 1001, ''" })
    void driversFitTheirDevices(String vendor, String id, String driver) {
        PciDevice device = new PciDevice(dev.bascule.pci.PciAddress.parse("00:00.0"), Integer.parseInt(vendor, 16),
                Integer.parseInt(id, 16), 0, null, -1, -1, List.of());
        assertThat(KnownDevices.driver(device).orElse("")).isEqualTo(driver);
    }

    @ParameterizedTest
    @CsvSource({ "-1, unknown", "0x020000, Ethernet", "0x028000, network", "0x060400, PCI bridge",
            "0x120000, accelerator",
            "0x990102, class 990102" })
    void classesHaveNames(String code, String name) {
        assertThat(PciClasses.name(Integer.decode(code))).isEqualTo(name);
    }
}
