package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DmaDirection;
import dev.bascule.device.IommuFault;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.lab.Lab;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.nic.edu.EduDriver;
import dev.bascule.nic.edu.EduRegisters;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is refused behind an AMD IOMMU: {@code scripts/lab --iommu amd}. */
@Tag("lab")
class AmdIommuLabTest {
    private static final long TIMEOUT_NANOS = 20_000_000_000L;
    private static final Iova IOVA = new Iova(0x2000000);

    @BeforeEach
    void isThere() {
        Lab.require();
        Assumptions.assumeTrue(Files.exists(Path.of("/sys/class/iommu/ivhd0")), "the machine has no AMD IOMMU");
    }

    private static List<IommuFault> refused(VfioDevice device) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (device.addressSpace().faultCount() == 0 && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        return device.addressSpace().recentFaults();
    }

    @Test
    void aWriteToMemoryTakenAwayIsReportedWithDeviceAddressAndDirection() throws InterruptedException {
        try (VfioDevice device = Lab.open(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
                DmaBuffer buffer = DmaBuffer.allocate("taken", 4096, DmaBuffer.Locking.PREFERRED);
                EduDriver driver = EduDriver.open(device, TIMEOUT_NANOS)) {
            device.addressSpace().mapAt(IOVA, MappableMemory.local(buffer.segment()), DmaDirection.BOTH);
            driver.startTransfer(IOVA, 0, 64, true); // the device waits 100 ms before it starts
            device.addressSpace().unmap(IOVA);
            assertThat(refused(device)).isNotEmpty().allSatisfy(fault -> {
                assertThat(fault.iova()).isEqualTo(IOVA);
                assertThat(fault.write()).isTrue();
                assertThat(fault.reason()).startsWith("IO_PAGE_FAULT");
            });
            assertThat(driver.factorial(5)).isEqualTo(120);
            assertThat(buffer.segment().get(ValueLayout.JAVA_LONG, 0)).as("untouched").isZero();
        }
    }

    @Test
    void whatIsMappedIsReached() {
        try (VfioDevice device = Lab.open(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
                EduDriver driver = EduDriver.open(device, TIMEOUT_NANOS)) {
            assertThat(driver.factorial(6)).isEqualTo(720);
            assertThat(device.addressSpace().faultCount()).isZero();
        }
    }
}
