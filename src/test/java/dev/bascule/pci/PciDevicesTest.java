package dev.bascule.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PciDevicesTest {
    @TempDir
    Path sysfs;

    @Test
    void machineWithoutPciHasNoDevices() {
        assertThat(PciDevices.list(sysfs)).isEmpty();
    }

    @Test
    void everyFieldIsRead() throws IOException {
        Path device = device("0000:03:00.0", "0x1234", "0x1001", "0x020000");
        Files.writeString(device.resolve("numa_node"), "1\n");
        Files.writeString(device.resolve("resource"), """
                0x00000000febc0000 0x00000000febdffff 0x0000000000040200
                0x000000000000c000 0x000000000000c03f 0x0000000000040101
                0x0000380000000000 0x000038000fffffff 0x000000000014220c
                0x0000000000000000 0x0000000000000000 0x0000000000000000
                0x0000000000000000 0x0000000000000000 0x0000000000000000
                0x0000000000000000 0x0000000000000000 0x0000000000000000
                0x00000000feb80000 0x00000000febbffff 0x0000000000046200
                """);
        Files.createSymbolicLink(device.resolve("driver"), Path.of("../../../../bus/pci/drivers/vfio-pci"));
        Files.createSymbolicLink(device.resolve("iommu_group"), Path.of("../../../kernel/iommu_groups/17"));
        assertThat(PciDevices.list(sysfs)).singleElement().satisfies(found -> {
            assertThat(found.address()).hasToString("0000:03:00.0");
            assertThat(found.vendorId()).isEqualTo(0x1234);
            assertThat(found.deviceId()).isEqualTo(0x1001);
            assertThat(found.classCode()).isEqualTo(0x020000);
            assertThat(found.driver()).isEqualTo("vfio-pci");
            assertThat(found.iommuGroup()).isEqualTo(17);
            assertThat(found.numaNode()).isEqualTo(1);
            assertThat(found.bars()).containsExactly(new PciDevice.BarRange(0, 0x20000, true, false, false),
                    new PciDevice.BarRange(1, 64, false, false, false),
                    new PciDevice.BarRange(2, 1L << 28, true, true, true));
        });
    }

    @Test
    void missingOrSenselessFilesAreUnknown() throws IOException {
        Path device = device("0000:00:01.0", "nonsense", "0x1", "");
        Files.delete(device.resolve("device"));
        Files.writeString(device.resolve("resource"), "garbage\n0xzz 0x1 0x200\n");
        assertThat(PciDevices.list(sysfs)).singleElement().satisfies(found -> {
            assertThat(found.vendorId()).isEqualTo(-1);
            assertThat(found.deviceId()).isEqualTo(-1);
            assertThat(found.classCode()).isEqualTo(-1);
            assertThat(found.driver()).isNull();
            assertThat(found.iommuGroup()).isEqualTo(-1);
            assertThat(found.numaNode()).isEqualTo(-1);
            assertThat(found.bars()).isEmpty();
        });
    }

    @Test
    void devicesAreSortedAndForeignEntriesSkipped() throws IOException {
        device("0000:0a:00.0", "0x1", "0x1", "0x1");
        device("0000:02:00.1", "0x1", "0x1", "0x1");
        device("0000:02:00.0", "0x1", "0x1", "0x1");
        Files.createDirectories(sysfs.resolve("bus/pci/devices/not-a-device"));
        assertThat(PciDevices.list(sysfs)).extracting(found -> found.address().toString())
                .containsExactly("0000:02:00.0", "0000:02:00.1", "0000:0a:00.0");
    }

    private Path device(String address, String vendor, String device, String classCode) throws IOException {
        Path directory = Files.createDirectories(sysfs.resolve("bus/pci/devices").resolve(address));
        Files.writeString(directory.resolve("vendor"), vendor + "\n");
        Files.writeString(directory.resolve("device"), device + "\n");
        Files.writeString(directory.resolve("class"), classCode + "\n");
        return directory;
    }
}
