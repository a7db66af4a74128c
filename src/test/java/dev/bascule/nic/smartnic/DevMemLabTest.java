package dev.bascule.nic.smartnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.CardConfig;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.lab.Lab;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PatList;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.PciDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The real /dev/mem: the memory of a device that no driver has, by its physical address, as a card's cores see their own. */
@Tag("lab")
class DevMemLabTest {
    private static final long BYTES = 1 << 20;

    @TempDir
    private Path folder = Path.of("");

    private CardConfig config(long offset, boolean cached) throws Exception {
        return HardwareConfigs.load(Files.writeString(folder.resolve("card.yaml"), """
                kind: pci
                device: {ids: "1234:ba5c", driver: smartnic, seen: simulated}
                region: {hostMemory: bar}
                cores: {memory: device, path: /dev/mem, offset: 0x%x, length: 1 MiB, cached: %s}
                """.formatted(offset, cached)).toString()).card();
    }

    @Test
    void aRangeOfDevMemIsTheDevicesMemoryUncachedUnlessToldOtherwise() throws Exception {
        Lab.require();
        PciDevice device = Lab.devices(IvshmemRegisters.VENDOR_ID, IvshmemRegisters.DEVICE_ID).getFirst();
        if ("vfio-pci".equals(device.driver())) {
            new DriverBinding(Lab.SYSFS, Lab.PROC).unbind(device.address(), false);
        }
        Path sysfs = Lab.SYSFS.resolve("bus/pci/devices/" + device.address());
        Files.writeString(sysfs.resolve("enable"), "1"); // its memory answers
        long start = Long.decode(Files.readAllLines(sysfs.resolve("resource")).get(IvshmemRegisters.MEMORY_BAR)
                .split(" ")[0]);
        try (CardCores cores = CardCores.open(config(start, false)); Arena arena = Arena.ofConfined()) {
            assertThat(cores.sizeBytes()).isEqualTo(BYTES);
            assertThat(cores.memory().type()).isEqualTo(MemoryType.UC);
            assertThat(PatList.read().word(start, BYTES)).contains("uncached-minus");
            cores.memory().storeRelease(4096, 0x0bad_cafe_0123L);
            String file = sysfs.resolve("resource" + IvshmemRegisters.MEMORY_BAR).toString();
            try (Fd fd = Libc.open(file, Linux.O_RDWR)) {
                assertThat(Libc.map(arena, 8192, Linux.PROT_READ, Linux.MAP_SHARED, fd, 0, file)
                        .get(ValueLayout.JAVA_LONG, 4096)).isEqualTo(0x0bad_cafe_0123L);
            }
        } finally {
            Files.writeString(sysfs.resolve("enable"), "0");
        }
    }

    @Test
    void theKernelsOwnMemoryAndAddressesThatDoNotExistAreRefusedWithTheCure() throws Exception {
        Lab.require();
        assertThatThrownBy(() -> CardCores.open(config(0x100_0000, true)))
                .hasMessage(
                        "map the card's memory: /dev/mem [0x1000000, +1048576): EPERM; the kernel keeps its own memory"
                                + " and what a driver has: take a reserved range (/proc/iomem), or boot with iomem=relaxed");
        assertThatThrownBy(() -> CardCores.open(config(1L << 52, true)))
                .hasMessage("map the card's memory: /dev/mem [0x10000000000000, +1048576): EINVAL; see cores.offset and"
                        + " cores.length: this machine has no such addresses");
    }
}
