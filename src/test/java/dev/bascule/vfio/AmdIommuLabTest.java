package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.lab.Lab;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.nic.edu.EduDriver;
import dev.bascule.nic.edu.EduRegisters;
import java.lang.foreign.MemorySegment;
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
    private static final int BYTES = 64;
    private static final Iova IOVA = new Iova(0x2000000);

    @BeforeEach
    void isThere() {
        Lab.require();
        Assumptions.assumeTrue(Files.exists(Path.of("/sys/class/iommu/ivhd0")), "the machine has no AMD IOMMU");
    }

    /**
     * Of a refused access QEMU 11.1.2 reports the device alone: its own trace has the address, its event has address 0, and
     * the access where no flag of the architecture is.
     */
    @Test
    void aWriteToMemoryTakenAwayDoesNotReachIt() throws InterruptedException {
        try (VfioDevice device = Lab.open(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
                DmaBuffer buffer = DmaBuffer.allocate("taken", 4096, DmaBuffer.Locking.PREFERRED);
                EduDriver driver = EduDriver.open(device, TIMEOUT_NANOS)) {
            MemorySegment memory = buffer.segment();
            driver.toDevice(memory.asSlice(0, BYTES).fill((byte) 0x5a), 0);
            memory.fill((byte) 0);
            device.addressSpace().mapAt(IOVA, MappableMemory.local(memory), DmaDirection.BOTH);
            driver.transfer(IOVA, 0, BYTES, true);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).as("mapped").isEqualTo(0x5a5a_5a5a_5a5a_5a5aL);
            assertThat(device.addressSpace().recentFaults()).as("mapped").isEmpty();
            memory.fill((byte) 0);
            device.addressSpace().unmap(IOVA);
            driver.startTransfer(IOVA, 0, BYTES, true);
            awaitFault(device);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).as("taken away").isZero();
            assertThat(device.addressSpace().recentFaults()).as("reported").isNotEmpty().allSatisfy(fault -> {
                assertThat(fault.iova().value() & -4096).as("page").isIn(0L, IOVA.value());
                assertThat(fault.reason()).startsWith("IO_PAGE_FAULT");
            });
            assertThat(driver.factorial(5)).isEqualTo(120);
        }
    }

    private static void awaitFault(VfioDevice device) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (device.addressSpace().faultCount() == 0 && System.nanoTime() - deadline < 0) {
            Thread.sleep(10);
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
