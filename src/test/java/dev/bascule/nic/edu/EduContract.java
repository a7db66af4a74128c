package dev.bascule.nic.edu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Iova;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the driver of edu must do, whatever is behind it. */
abstract class EduContract {
    private static final long TIMEOUT_NANOS = 20_000_000_000L;

    protected DeviceBacking backing;
    private EduDriver driver;

    protected abstract DeviceBacking openBacking();

    @BeforeEach
    void open() {
        backing = openBacking();
        driver = EduDriver.open(backing, TIMEOUT_NANOS);
    }

    @AfterEach
    void close() {
        if (driver != null) {
            driver.close();
        }
        if (backing != null) {
            backing.close();
        }
    }

    @Test
    void theDeviceIsAliveAndTellsWhoItIs() {
        assertThat(driver.isAlive()).isTrue();
        assertThat(backing.info().vendorId()).isEqualTo(EduRegisters.VENDOR_ID);
        assertThat(backing.info().deviceId()).isEqualTo(EduRegisters.DEVICE_ID);
        assertThat(backing.config().read16(0)).isEqualTo(EduRegisters.VENDOR_ID);
        assertThat(backing.bar(0).sizeBytes()).isEqualTo(EduRegisters.BAR_BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 5, 12, 13 })
    void factorialsAreComputedAndTellByInterrupt(int n) {
        int expected = 1;
        for (int i = 2; i <= n; i++) {
            expected *= i;
        }
        assertThat(driver.factorial(n)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(names = { "INTX", "MSI" })
    void interruptsComeByPinAndByMessage(InterruptKind kind) {
        driver.close();
        driver = EduDriver.open(backing, kind, TIMEOUT_NANOS);
        for (int i = 0; i < 5; i++) {
            driver.interruptYourself();
        }
        assertThat(driver.factorial(6)).isEqualTo(720);
    }

    @Test
    void bytesTravelByDmaBothWays() {
        long seed = 20_260_101;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            for (int bytes : new int[] { 1, 7, 64, 1000, EduDriver.MAX_TRANSFER_BYTES }) {
                MemorySegment sent = arena.allocate(bytes);
                for (int i = 0; i < bytes; i++) {
                    sent.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
                }
                int offset = random.nextInt(EduDriver.MAX_TRANSFER_BYTES);
                driver.toDevice(sent, offset);
                MemorySegment back = arena.allocate(bytes);
                driver.fromDevice(back, offset);
                assertThat(back.mismatch(sent)).as("%d bytes at %d", bytes, offset).isEqualTo(-1);
            }
        }
        assertThat(backing.addressSpace().faultCount()).isZero();
    }

    @Test
    void aWrongAddressIsRefusedAndReported() throws InterruptedException {
        Iova wrong = new Iova(0xE00_0000);
        try {
            driver.transfer(wrong, 0, 64, true);
        } catch (DeviceException e) {
            assertThat(e).hasMessageContaining("the IOMMU refused it").hasMessageContaining("map the memory before");
        }
        long deadline = System.nanoTime() + TIMEOUT_NANOS; // a kernel writes its log when it has time
        while (backing.addressSpace().faultCount() == 0 && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        assertThat(backing.addressSpace().recentFaults()).isNotEmpty().allSatisfy(fault -> {
            assertThat(fault.iova()).isEqualTo(wrong);
            assertThat(fault.write()).isTrue();
        });
        assertThat(driver.factorial(5)).as("the device works on").isEqualTo(120);
    }

    @Test
    void addressesTheDeviceCannotDriveAreRefusedBefore() {
        assertThatThrownBy(() -> driver.transfer(new Iova(1L << 28), 0, 64, true)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("28 address bits");
    }

    @Test
    void withoutBusMasteringNothingMoves() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(64).fill((byte) 0x55);
            driver.toDevice(data, 0);
            MemorySegment back = arena.allocate(64);
            driver.fromDevice(back, 0);
            assertThat(back.mismatch(data)).isEqualTo(-1);
            backing.setBusMaster(false);
            assertThat(backing.config().read16(4) & 4).isZero();
            backing.setBusMaster(true);
            driver.fromDevice(back, 0);
            assertThat(back.mismatch(data)).isEqualTo(-1);
        }
    }

    @Test
    void aSecondDriverAfterTheFirstFindsEverythingGivenBack() {
        for (int i = 0; i < 3; i++) {
            driver.close();
            driver = EduDriver.open(backing, TIMEOUT_NANOS);
            assertThat(driver.factorial(4)).isEqualTo(24);
        }
    }

    @Test
    void vectorsThatDoNotExistAreNamed() {
        assertThatThrownBy(() -> backing.openInterrupt(InterruptKind.MSI, 3, null)).isInstanceOf(RuntimeException.class)
                .hasMessageContaining("3");
        assertThat(backing.interruptCount(InterruptKind.MSIX)).isZero();
        assertThatThrownBy(() -> backing.bar(5)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("BAR 5").hasMessageContaining("does not implement it");
    }
}
