package dev.bascule.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverBindingTest {
    private static final PciAddress CARD = PciAddress.parse("03:00.0");
    private static final PciAddress OTHER = PciAddress.parse("03:00.1");

    @TempDir
    private Path root = Path.of("");
    private FakeSysfs kernel;

    @BeforeEach
    void machine() throws IOException {
        kernel = new FakeSysfs(root).driver("vfio-pci");
    }

    @Test
    void aFreeDeviceIsBoundByItsOverride() throws IOException {
        kernel.device("0000:03:00.0", "0x020000", "", 7);
        assertThat(kernel.binding().bind(CARD, false, false))
                .containsExactly(new DriverBinding.Move(CARD, null, "vfio-pci"));
        assertThat(kernel.written).containsExactly("bus/pci/devices/0000:03:00.0/driver_override <- vfio-pci",
                "bus/pci/drivers_probe <- 0000:03:00.0");
    }

    @Test
    void aDeviceOfAnotherDriverIsTakenFromItAfterTheOverrideIsSet() throws IOException {
        kernel.device("0000:03:00.0", "0x020000", "mlx5_core", 7);
        assertThat(kernel.binding().bind(CARD, false, false))
                .containsExactly(new DriverBinding.Move(CARD, "mlx5_core", "vfio-pci"));
        assertThat(kernel.written).containsExactly("bus/pci/devices/0000:03:00.0/driver_override <- vfio-pci",
                "bus/pci/devices/0000:03:00.0/driver/unbind <- 0000:03:00.0",
                "bus/pci/drivers_probe <- 0000:03:00.0");
    }

    @Test
    void bindingTwiceChangesNothing() throws IOException {
        kernel.device("0000:03:00.0", "0x020000", "", 7);
        kernel.binding().bind(CARD, false, false);
        kernel.written.clear();
        assertThat(kernel.binding().bind(CARD, false, false)).singleElement()
                .satisfies(move -> assertThat(move.changed()).isFalse());
        assertThat(kernel.written).isEmpty();
    }

    @Test
    void unbindGivesItBackToTheKernelsChoice() throws IOException {
        kernel.device("0000:03:00.0", "0x020000", "e1000e", 7);
        kernel.binding().bind(CARD, false, false);
        assertThat(kernel.binding().unbind(CARD, false))
                .containsExactly(new DriverBinding.Move(CARD, "vfio-pci", "e1000e"));
        assertThatThrownBy(() -> kernel.binding().unbind(CARD, false)).isInstanceOf(PciException.class)
                .hasMessageContaining("belongs to e1000e");
    }

    @Test
    void aGroupWithOthersIsRefusedNamingThem() throws IOException {
        kernel.device("0000:03:00.0", "0x020000", "", 7);
        kernel.device("0000:03:00.1", "0x020000", "e1000e", 7);
        kernel.device("0000:02:00.0", "0x060400", "pcieport", 7);
        assertThatThrownBy(() -> kernel.binding().bind(CARD, false, false)).isInstanceOf(PciException.class)
                .hasMessageContaining("IOMMU group 7 also has 0000:03:00.1 (e1000e)")
                .hasMessageContaining("bascule bind --group 0000:03:00.0");
        assertThat(kernel.written).isEmpty();
    }

    @Test
    void aWholeGroupIsBoundWithoutItsBridges() throws IOException {
        kernel.device("0000:03:00.0", "0x020000", "", 7);
        kernel.device("0000:03:00.1", "0x020000", "e1000e", 7);
        kernel.device("0000:02:00.0", "0x060400", "pcieport", 7);
        assertThat(kernel.binding().bind(CARD, true, false)).containsExactly(
                new DriverBinding.Move(CARD, null, "vfio-pci"), new DriverBinding.Move(OTHER, "e1000e", "vfio-pci"));
        assertThat(kernel.binding().unbind(CARD, true)).extracting(DriverBinding.Move::to).containsExactly(null,
                "e1000e");
    }

    @Test
    void theNetworkInUseIsRefusedUnlessForced() throws IOException {
        Path card = kernel.device("0000:03:00.0", "0x020000", "virtio-pci", 7);
        Files.createDirectories(card.resolve("virtio0/net/eth0"));
        Files.createDirectories(kernel.proc.resolve("net"));
        Files.writeString(kernel.proc.resolve("net/route"), "Iface\tDestination\neth0\t00000000\n");
        assertThatThrownBy(() -> kernel.binding().bind(CARD, false, false)).isInstanceOf(PciException.class)
                .hasMessageContaining("network interface eth0 has a route").hasMessageContaining("--force");
        assertThat(kernel.written).isEmpty();
        assertThat(kernel.binding().bind(CARD, false, true)).hasSize(1);
    }

    @Test
    void bridgesMissingDevicesAndAMissingDriverAreNamed() throws IOException {
        kernel.device("0000:02:00.0", "0x060400", "pcieport", 7);
        assertThatThrownBy(() -> kernel.binding().bind(PciAddress.parse("02:00.0"), false, false))
                .hasMessageContaining("it is a bridge");
        assertThatThrownBy(() -> kernel.binding().bind(CARD, false, false)).hasMessageContaining("no such PCI function")
                .hasMessageContaining("bascule devices");
        kernel.device("0000:03:00.0", "0x020000", "", 8);
        Files.delete(kernel.sys.resolve("bus/pci/drivers/vfio-pci"));
        assertThatThrownBy(() -> kernel.binding().bind(CARD, false, false))
                .hasMessageContaining("sudo modprobe vfio-pci");
    }

    @Test
    void aDriverThatDoesNotTakeTheDeviceIsToldOf() throws IOException {
        kernel.device("0000:03:00.0", "0x020000", "", 7);
        DriverBinding deaf = new DriverBinding(kernel.sys, kernel.proc, (file, value) -> {});
        assertThatThrownBy(() -> deaf.bind(CARD, false, false)).hasMessageContaining("vfio-pci did not take it")
                .hasMessageContaining("dmesg");
    }

    @Test
    void withoutTheRightToWriteRootIsAskedFor() throws IOException {
        kernel.device("0000:03:00.0", "0x020000", "", 7);
        DriverBinding user = new DriverBinding(kernel.sys, kernel.proc, (file, value) -> {
            throw new IOException("Permission denied");
        });
        assertThatThrownBy(() -> user.bind(CARD, false, false)).isInstanceOf(PciException.class)
                .hasMessageContaining("Permission denied").hasMessageContaining("sudo scripts/bascule bind");
        kernel.binding().bind(CARD, false, false);
        DriverBinding nobody = new DriverBinding(kernel.sys, kernel.proc, (file, value) -> {
            throw new AccessDeniedException(file.toString());
        });
        assertThatThrownBy(() -> nobody.unbind(CARD, false)).isInstanceOf(PciException.class)
                .hasMessageContaining("driver_override: permission denied")
                .hasMessageContaining("sudo scripts/bascule unbind");
    }
}
