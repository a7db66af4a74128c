package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.lab.Lab;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.Hugepages;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevice;
import dev.bascule.vfio.VfioOptions.KernelInterface;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The kernel's VFIO itself: what every device has, and every error a user can make. */
@Tag("lab")
class VfioLabTest {
    private static final long TIMEOUT_NANOS = 20_000_000_000L;
    private static final int E1000E_VENDOR = 0x8086;
    private static final int E1000E_DEVICE = 0x10d3;

    private static VfioDevice edu() {
        return Lab.open(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
    }

    private static VfioDevice e1000e() {
        return Lab.open(E1000E_VENDOR, E1000E_DEVICE, 0);
    }

    @Test
    void barsConfigSpaceAndInterruptsAreAsTheDeviceHasThem() {
        try (VfioDevice device = e1000e()) {
            assertThat(device.config().sizeBytes()).isEqualTo(4096);
            assertThat(device.config().read32(0)).isEqualTo(E1000E_DEVICE << 16 | E1000E_VENDOR);
            assertThat(device.bar(0)).isEqualTo(new Bar(0, 128 << 10, false, false,
                    List.of(new Bar.Area(0, 128 << 10))));
            assertThat(device.bar(2).mappable()).as("I/O ports").isEmpty();
            assertThat(device.interruptCount(InterruptKind.INTX)).isEqualTo(1);
            assertThat(device.interruptCount(InterruptKind.MSI)).isEqualTo(1);
            assertThat(device.interruptCount(InterruptKind.MSIX)).isEqualTo(5);
            assertThat(device.interruptCount(InterruptKind.REQUEST)).isEqualTo(1);
            assertThat(device.info().backing()).isEqualTo("vfio");
        }
    }

    @Test
    void mappedRegistersPortsAndConfigSpaceAreAllReadAndWritten() {
        try (VfioDevice device = e1000e()) {
            Registers memory = device.registers(0);
            memory.write32(0x0038, 0x8100); // VLAN ether type, a plain register
            assertThat(memory.read32(0x0038)).isEqualTo(0x8100);
            Registers ports = device.registers(2); // address and data
            ports.write32(0, 0x0038);
            assertThat(ports.read32(4)).as("the same register through ports").isEqualTo(0x8100);
            device.config().write8(0x3c, 0x0b); // interrupt line, a scratch byte
            assertThat(device.config().read8(0x3c)).isEqualTo(0x0b);
            assertThatThrownBy(() -> memory.read32(128 << 10)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void aResetTakesInterruptsAndBusMasteringAway() { // QEMU's e1000e keeps its registers over a reset of this kind
        try (VfioDevice device = e1000e()) {
            assertThat(device.isResettable()).isTrue();
            device.setBusMaster(true);
            Interrupt vector = device.openInterrupt(InterruptKind.MSIX, 0, null);
            device.reset();
            assertThat(device.config().read16(4) & 6).as("decoding on, bus mastering off").isEqualTo(2);
            assertThat(vector.poll()).isZero();
            try (Interrupt again = device.openInterrupt(InterruptKind.MSIX, 0, null)) {
                device.triggerInterrupt(InterruptKind.MSIX, 0);
                assertThat(again.await(TIMEOUT_NANOS)).isPositive();
            }
        }
    }

    @Test
    void aDeviceWithoutAnyResetSaysSo() {
        try (VfioDevice device = edu()) {
            if (!device.isResettable() && device.slotMembers().isEmpty()) {
                assertThatThrownBy(device::reset).isInstanceOf(DeviceException.class)
                        .hasMessageContaining("no reset of its own").hasMessageContaining("open it again");
            } else {
                device.reset();
            }
        }
    }

    @Test
    void everyVectorReachesItsOwnEventFd() {
        try (VfioDevice device = e1000e()) {
            Interrupt[] vectors = new Interrupt[5];
            for (int i = 0; i < vectors.length; i++) {
                vectors[i] = device.openInterrupt(InterruptKind.MSIX, i, null);
            }
            for (int i = 0; i < vectors.length; i++) {
                device.triggerInterrupt(InterruptKind.MSIX, i);
                for (int j = 0; j < vectors.length; j++) {
                    long delivered = i == j ? vectors[j].await(TIMEOUT_NANOS) : vectors[j].poll();
                    assertThat(delivered).as("vector %d after %d", j, i).isEqualTo(i == j ? 1 : 0);
                }
            }
            assertThatThrownBy(() -> device.openInterrupt(InterruptKind.MSI, 0, null))
                    .isInstanceOf(DeviceException.class).hasMessageContaining("MSIX is in use");
            vectors[2].close();
            vectors[2] = device.openInterrupt(InterruptKind.MSIX, 2, null);
            device.triggerInterrupt(InterruptKind.MSIX, 2);
            assertThat(vectors[2].await(TIMEOUT_NANOS)).isEqualTo(1);
            for (Interrupt vector : vectors) {
                vector.close();
            }
            try (Interrupt message = device.openInterrupt(InterruptKind.MSI, 0, null)) {
                device.triggerInterrupt(InterruptKind.MSI, 0);
                assertThat(message.await(TIMEOUT_NANOS)).isEqualTo(1);
            }
        }
    }

    @Test
    void theIommuTellsItsLimits() {
        try (VfioDevice device = edu()) {
            IommuInfo info = device.iommu();
            assertThat(info.smallestPageBytes()).isEqualTo(4096);
            assertThat(info.ranges()).isNotEmpty()
                    .noneMatch(range -> range.first() <= 0xfee00000L && range.last() >= 0xfee00000L);
            if (info.name().equals("type-1")) {
                assertThat(info.mappingsLeft()).isPositive();
            }
        }
    }

    @Test
    void hugeAndSmallPagesAreMappedAndTakenBack() {
        try (VfioDevice device = edu();
                DmaBuffer huge = DmaBuffer.allocateHuge("huge", Hugepages.SIZE_2M, Hugepages.SIZE_2M);
                DmaBuffer small = DmaBuffer.allocate("small", 64 << 10, DmaBuffer.Locking.PREFERRED)) {
            VfioAddressSpace space = (VfioAddressSpace) device.addressSpace();
            long left = device.iommu().mappingsLeft();
            Iova first = space.map(MappableMemory.local(huge.segment()), DmaDirection.BOTH);
            Iova second = space.map(MappableMemory.local(small.segment()), DmaDirection.DEVICE_READS);
            assertThat(first.value() % Hugepages.SIZE_2M).isZero();
            assertThat(first).isNotEqualTo(second);
            if (left >= 0) {
                assertThat(device.iommu().mappingsLeft()).isEqualTo(left - 2);
            }
            space.unmap(first);
            assertThat(space.unmapAll()).isEqualTo(1);
            assertThat(device.iommu().mappingsLeft()).isEqualTo(left);
            assertThat(space.map(MappableMemory.local(huge.segment()), DmaDirection.BOTH)).isNotNull();
        }
    }

    @Test
    void overlapsAndMisalignedMappingsAreRefused() {
        try (VfioDevice device = edu();
                DmaBuffer buffer = DmaBuffer.allocate("small", 64 << 10, DmaBuffer.Locking.PREFERRED)) {
            MappableMemory memory = MappableMemory.local(buffer.segment());
            device.addressSpace().mapAt(new Iova(0x1000000), memory, DmaDirection.BOTH);
            assertThatThrownBy(() -> device.addressSpace().mapAt(new Iova(0x1001000), memory, DmaDirection.BOTH))
                    .hasMessageContaining("overlaps the mapping at iova 0x1000000");
            assertThatThrownBy(() -> device.addressSpace().mapAt(new Iova(0x2000010), memory, DmaDirection.BOTH))
                    .hasMessageContaining("whole pages");
            assertThatThrownBy(() -> device.addressSpace().mapAt(new Iova(0xfee00000L), memory, DmaDirection.BOTH))
                    .hasMessageContaining("does not translate");
        }
    }

    @Test
    void barsThatDoNotExistAreNamed() {
        try (VfioDevice device = edu()) {
            assertThatThrownBy(() -> device.registers(3)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("BAR 3").hasMessageContaining("use one of [0]");
            assertThatThrownBy(() -> device.memory(0, 1 << 20, 4096)).hasMessageContaining("cannot be mapped");
        }
    }

    @Test
    void aDeviceInUseAndADeviceOfAnotherDriverAreToldApart() {
        PciAddress edu = Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
        try (VfioDevice first = VfioDevice.open(edu, VfioOptions.DEFAULT)) {
            assertThat(first.info().address()).isEqualTo(edu);
            assertThatThrownBy(() -> VfioDevice.open(edu, VfioOptions.DEFAULT).close())
                    .isInstanceOf(DeviceException.class).hasMessageContaining("another process drives it")
                    .hasMessageContaining("fuser");
        }
        new DriverBinding(Lab.SYSFS, Lab.PROC).unbind(edu, false);
        assertThatThrownBy(() -> VfioDevice.open(edu, VfioOptions.DEFAULT).close()).isInstanceOf(DeviceException.class)
                .hasMessageContaining("bascule bind " + edu);
        Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
    }

    @Test
    void twoDevicesOfOneContextShareTheirMappings() {
        PciAddress edu = Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
        PciAddress net = Lab.bound(E1000E_VENDOR, E1000E_DEVICE, 0);
        try (VfioContext context = new VfioContext(VfioOptions.DEFAULT)) {
            VfioDevice first = context.open(edu);
            VfioDevice second = context.open(net);
            assertThat(first.addressSpace()).isSameAs(second.addressSpace());
            first.close();
            assertThat(second.config().read16(0)).isEqualTo(E1000E_VENDOR);
        }
    }

    @Test
    void theCdevInterfaceIsUsedWhereTheKernelHasIt() {
        PciAddress edu = Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
        VfioOptions cdev = VfioOptions.DEFAULT.with(KernelInterface.CDEV);
        if (VfioNodes.of(cdev).device(edu).isPresent()) {
            try (VfioDevice device = VfioDevice.open(edu, cdev)) {
                assertThat(device.iommu().name()).isEqualTo("iommufd");
            }
            try (VfioDevice device = edu()) {
                assertThat(device.iommu().name()).as("chosen without being asked").isEqualTo("iommufd");
            }
        } else {
            assertThatThrownBy(() -> VfioDevice.open(edu, cdev).close()).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("/dev/iommu").hasMessageContaining("CONFIG_IOMMUFD");
        }
        try (VfioDevice device = VfioDevice.open(edu, VfioOptions.DEFAULT.with(KernelInterface.GROUP))) {
            assertThat(device.iommu().name()).isEqualTo("type-1");
        }
    }

    @Test
    void devicesAreListedWithTheirGroups() {
        for (PciDevice device : Lab.devices(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID)) {
            assertThat(device.iommuGroup()).isNotNegative();
        }
    }
}
