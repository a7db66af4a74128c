package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.lab.Lab;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PatList;
import dev.bascule.memory.Window;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What BARs are really mapped as, by the kernel's own list of memory types. */
@Tag("lab")
class MemoryTypesLabTest {
    private static final int MEMORY = IvshmemRegisters.MEMORY_BAR;

    private final PciAddress address = Lab.bound(IvshmemRegisters.VENDOR_ID, IvshmemRegisters.DEVICE_ID, 0);

    private VfioDevice open(Integer... writeCombining) {
        return VfioDevice.open(address, VfioOptions.DEFAULT.withWriteCombining(Set.of(writeCombining)));
    }

    private Path folder() {
        return Lab.SYSFS.resolve("bus/pci/devices/" + address);
    }

    private void mapElsewhere(Arena arena) {
        Path file = folder().resolve("resource2_wc");
        try (Fd fd = Libc.open(file.toString(), Linux.O_RDWR)) {
            Libc.map(arena, 4096, Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, fd, 0, file.toString());
        }
    }

    private String listed() throws Exception {
        long start = Long.decode(Files.readAllLines(folder().resolve("resource")).get(MEMORY).split(" ")[0]);
        return PatList.read().word(start, 4096).orElse("not mapped");
    }

    @Test
    void aBarNamedAtOpeningIsWriteCombiningInBothViews() throws Exception {
        try (VfioDevice device = open(MEMORY)) {
            Window combining = device.window(MEMORY, MemoryType.WC);
            Window uncached = device.window(MEMORY, MemoryType.UC);
            assertThat(listed()).isEqualTo("write-combining");
            assertThat(device.type(MEMORY)).isEqualTo(new BarType(MemoryType.WC, MemoryType.WC, ""));
            assertThat(combining.type()).isEqualTo(MemoryType.WC);
            assertThat(uncached.type()).as("one mapping, one type").isEqualTo(MemoryType.WC);
            combining.storeRelease(8192, 0x1234_5678_9abcL);
            combining.writeFence();
            assertThat(uncached.loadAcquire(8192)).isEqualTo(0x1234_5678_9abcL);
            assertThatThrownBy(() -> device.window(MEMORY, MemoryType.WT)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("not WT");
            assertThatThrownBy(() -> device.registers(MEMORY)).hasMessageContaining("registers do not bear");
        }
        assertThat(listed()).isEqualTo("not mapped");
    }

    @Test
    void oneThatWasNotNamedStaysUncachedWhoeverAsksLater() throws Exception {
        try (VfioDevice device = open(); Arena arena = Arena.ofConfined()) {
            assertThat(device.window(MEMORY, MemoryType.UC).type()).isEqualTo(MemoryType.UC);
            assertThat(listed()).isEqualTo("uncached-minus");
            assertThatThrownBy(() -> device.window(MEMORY, MemoryType.WC)).hasMessageContaining("withWriteCombining");
            mapElsewhere(arena); // works, and is uncached without a word
            assertThat(listed()).isEqualTo("uncached-minus");
        }
    }

    @Test
    void aTypeThatAnotherMappingForcedIsSaidAndReckonedWith() {
        try (Arena arena = Arena.ofConfined()) {
            mapElsewhere(arena);
            try (VfioDevice device = open()) {
                assertThat(device.type(MEMORY).isWrong()).isTrue();
                assertThat(device.type(MEMORY).toString()).startsWith("WC instead of UC: ");
                assertThat(device.window(MEMORY, MemoryType.UC).type()).as("with its fences").isEqualTo(MemoryType.WC);
            }
        }
    }

    @Test
    void aBarThatCannotBeWriteCombiningIsUncachedAndTheReasonIsSaid() {
        PciAddress edu = Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
        try (VfioDevice device = VfioDevice.open(edu, VfioOptions.DEFAULT.withWriteCombining(Set.of(0)))) {
            assertThat(device.type(0).effective()).isEqualTo(MemoryType.UC);
            assertThat(device.type(0).remark()).contains("not prefetchable");
            assertThat(device.window(0, MemoryType.WC).type()).isEqualTo(MemoryType.UC);
        }
    }

    /** What is done on aarch64, on this machine: the mapping, not the type that it has here. */
    @Test
    void asOnAarch64ABarNamedAtOpeningHasAMappingOfItsOwnAndNoneOfVfios() throws Exception {
        try (VfioDevice device = open()) { // loads what asks for the architecture
            device.window(MEMORY, MemoryType.UC).storeRelease(8192, 1);
        }
        String cpu = System.getProperty("os.arch");
        System.setProperty("os.arch", "aarch64");
        try (VfioDevice device = open(MEMORY)) {
            Window window = device.window(MEMORY, MemoryType.WC);
            window.storeRelease(8192, 0x1234_5678_9abdL);
            window.writeFence();
            assertThat(device.window(MEMORY, MemoryType.UC).loadAcquire(8192)).isEqualTo(0x1234_5678_9abdL);
            assertThat(device.type(MEMORY)).isEqualTo(new BarType(MemoryType.WC, MemoryType.WC, ""));
            assertThat(Files.readAllLines(Path.of("/proc/self/maps")))
                    .filteredOn(line -> line.endsWith("/resource2_wc"))
                    .hasSize(1);
        } finally {
            System.setProperty("os.arch", cpu);
        }
        assertThat(listed()).isEqualTo("not mapped");
        try (VfioDevice device = open()) {
            assertThat(device.window(MEMORY, MemoryType.UC).loadAcquire(8192)).as("the same memory")
                    .isEqualTo(0x1234_5678_9abdL);
        }
    }
}
