package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.lab.Lab;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.Hugepages;
import dev.bascule.nic.virtio.VirtioRegisters;
import dev.bascule.pci.PciAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Devices without an IOMMU: {@code scripts/lab --iommu none}. */
@Tag("lab")
class NoIommuLabTest {
    private static final Path UNSAFE = Path.of("/sys/module/vfio/parameters/enable_unsafe_noiommu_mode");
    private static final VfioOptions OPTIONS = VfioOptions.DEFAULT.with(VfioOptions.KernelInterface.NO_IOMMU);

    private PciAddress address = PciAddress.parse("00:00.0");

    @BeforeEach
    void isNone() throws Exception {
        Lab.require();
        Assumptions.assumeTrue(Lab.devices(VirtioRegisters.VENDOR_ID, VirtioRegisters.NET_DEVICE_ID).stream()
                .allMatch(device -> device.iommuGroup() < 0 || device.iommuGroup() >= 0
                        && !Files.exists(Path.of("/sys/class/iommu/dmar0"))
                        && !Files.exists(Path.of("/sys/class/iommu/ivhd0"))),
                "the machine has an IOMMU");
        Assumptions.assumeTrue(Files.isWritable(UNSAFE), "this kernel was built without CONFIG_VFIO_NOIOMMU");
        Files.writeString(UNSAFE, "Y");
        address = Lab.bound(VirtioRegisters.VENDOR_ID, VirtioRegisters.NET_DEVICE_ID, 0);
    }

    @Test
    void withoutBeingAskedForItTheDeviceIsNotOpened() {
        assertThatThrownBy(() -> VfioDevice.open(address, VfioOptions.DEFAULT).close())
                .isInstanceOf(DeviceException.class).hasMessageContaining("--no-iommu");
    }

    @Test
    void memoryOnOneHugepageHasItsPhysicalAddress() {
        try (VfioDevice device = VfioDevice.open(address, OPTIONS);
                DmaBuffer buffer = device.addressSpace().allocate("small", 4096)) {
            assertThat(buffer.pageSizeBytes()).isEqualTo(Hugepages.SIZE_2M);
            Iova iova = device.addressSpace().map(MappableMemory.local(buffer.segment()), DmaDirection.BOTH);
            assertThat(iova.value() % 4096).isZero();
            assertThat(iova.value()).isPositive();
            device.addressSpace().unmap(iova);
        }
    }

    @Test
    void ordinaryPagesAreRefusedBeforeTheyAreUsedLockedOrNot() {
        try (VfioDevice device = VfioDevice.open(address, OPTIONS);
                DmaBuffer buffer = DmaBuffer.allocate("ordinary", 4096, DmaBuffer.Locking.REQUIRED)) {
            assertThat(buffer.isLocked()).isTrue();
            assertThatThrownBy(() -> device.addressSpace().map(MappableMemory.local(buffer.segment()),
                    DmaDirection.BOTH)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("pages of 4096 bytes, which the kernel may move")
                    .hasMessageContaining("nr_hugepages");
        }
    }

    @Test
    void whatNoHugepageHoldsIsRefusedWithTheReason() {
        try (VfioDevice device = VfioDevice.open(address, OPTIONS)) {
            assertThatThrownBy(() -> device.addressSpace().allocate("pool", 8 << 20))
                    .isInstanceOf(DeviceException.class).hasMessageContaining("one hugepage of 1 GiB")
                    .hasMessageContaining("none can be had").hasMessageContaining("hugepages-1048576kB/nr_hugepages");
            assertThatThrownBy(() -> device.addressSpace().allocate("pool", 2L << 30))
                    .hasMessageContaining("the largest has 1 GiB");
        }
    }
}
