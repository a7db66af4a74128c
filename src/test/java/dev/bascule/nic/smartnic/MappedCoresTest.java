package dev.bascule.nic.smartnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.CardConfig;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A card's memory through devices and files, on a folder that plays /dev and /sys. */
class MappedCoresTest {
    private static final int PAGE = (int) Libc.pageSizeBytes();

    @TempDir
    private Path folder = Path.of("");

    private CardConfig config(String cores) throws Exception {
        return HardwareConfigs.load(Files.writeString(folder.resolve("card.yaml"), """
                kind: pci
                device: {ids: "1234:ba5c", driver: smartnic, seen: simulated}
                region: {hostMemory: bar}
                cores: {%s}
                """.formatted(cores.replace("FOLDER", folder.toString()))).toString()).card();
    }

    private CardCores open(String cores) throws Exception {
        return MappedCores.open(config(cores), folder.resolve("sys"));
    }

    private Path file(String name, int bytes) throws Exception {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, new byte[bytes]);
    }

    /** A userspace I/O device with a second mapping: /dev/uio3, whose files the kernel would make. */
    private void uio(String size, String offset) throws Exception {
        file("dev/uio3", 4 * PAGE);
        Path map = Files.createDirectories(folder.resolve("sys/class/uio/uio3/maps/map1"));
        Files.writeString(map.resolve("size"), size + "\n");
        if (!offset.isEmpty()) {
            Files.writeString(map.resolve("offset"), offset + "\n");
        }
    }

    private long word(String file, int at) throws Exception {
        return ByteBuffer.wrap(Files.readAllBytes(folder.resolve(file))).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
    }

    @Test
    void aMappingOfUserspaceIoIsThePageOfItsNumber() throws Exception {
        uio("0x2000", "");
        try (CardCores cores = open("memory: uio, path: FOLDER/dev/uio3, bar: 1")) {
            assertThat(cores.sizeBytes()).isEqualTo(0x2000);
            Window memory = cores.memory();
            assertThat(memory.type()).isEqualTo(MemoryType.UC);
            memory.storeRelease(64, 0x1122_3344_5566_7788L);
            assertThat(word("dev/uio3", PAGE + 64)).isEqualTo(0x1122_3344_5566_7788L);
            assertThat(cores).hasToString("memory at " + folder.resolve("dev/uio3"));
        }
    }

    @Test
    void memoryThatDoesNotBeginWithAPageBeginsWhereTheKernelSays() throws Exception {
        uio("0x800", "0x400");
        try (CardCores cores = open("memory: uio, path: FOLDER/dev/uio3, bar: 1")) {
            assertThat(cores.sizeBytes()).isEqualTo(0x800);
            cores.memory().storeRelease(0, 7);
            assertThat(word("dev/uio3", PAGE + 0x400)).isEqualTo(7);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0x2000   | bar: 0                       | it has no mapping 0; set cores.path to /dev/uioN and cores.bar to the number of its mapping: ls SYS/class/uio/uio*/maps
            0x0      | bar: 1                       | it has 0 bytes, and [0, +0) lies outside; set cores.offset and cores.length of the configuration
            0x1000   | bar: 1, length: 8 KiB        | it has 4096 bytes, and [0, +8192) lies outside; set cores.offset and cores.length of the configuration
            0x3000   | bar: 1, offset: 0x1000       | userspace I/O maps from the beginning only; set cores.offset: 0
            """)
    void whatAUserspaceIoDeviceDoesNotHaveIsSaid(String size, String words, String expected) throws Exception {
        uio(size, "");
        assertThatThrownBy(() -> open("memory: uio, path: FOLDER/dev/uio3, " + words))
                .isInstanceOf(DeviceException.class)
                .hasMessage("map the card's memory: " + folder.resolve("dev/uio3") + ": "
                        + expected.replace("SYS", folder.resolve("sys").toString()));
    }

    @Test
    void aSizeThatIsNoNumberAndADeviceThatIsNotThereAreSaid() throws Exception {
        uio("much", "");
        assertThatThrownBy(() -> open("memory: uio, path: FOLDER/dev/uio3, bar: 1"))
                .hasMessageStartingWith("map the card's memory: " + folder.resolve("sys/class/uio/uio3/maps/map1/size"))
                .hasMessageContaining("\"much\"");
        assertThatThrownBy(() -> open("memory: uio, path: FOLDER/dev/uio9, bar: 1"))
                .hasMessageContaining("uio9: there is no userspace I/O device of that name; set cores.path");
        Files.delete(folder.resolve("dev/uio3"));
        Files.writeString(folder.resolve("sys/class/uio/uio3/maps/map1/size"), "0x1000");
        assertThatThrownBy(() -> open("memory: uio, path: FOLDER/dev/uio3, bar: 1"))
                .hasMessage("map the card's memory: " + folder.resolve("dev/uio3") + " [0x" + Integer.toHexString(PAGE)
                        + ", +4096): ENOENT; Check the path: ls -l " + folder.resolve("dev/uio3"));
    }

    @Test
    void aBarOfAnEndpointsOwnFunctionIsItsFileInSysfs() throws Exception {
        file("sys/bus/pci/devices/0000:01:00.0/resource2", 4 * PAGE);
        try (CardCores cores = open("memory: pci, path: \"01:00.0\", bar: 2, offset: 0x1000, length: 8 KiB")) {
            assertThat(cores.memory().type()).isEqualTo(MemoryType.UC);
            cores.memory().storeRelease(8, 9);
            assertThat(word("sys/bus/pci/devices/0000:01:00.0/resource2", 0x1000 + 8)).isEqualTo(9);
        }
        assertThatThrownBy(() -> open("memory: pci, path: \"01:00.0\", bar: 4"))
                .hasMessage("map the card's memory: " + folder.resolve("sys/bus/pci/devices/0000:01:00.0/resource4")
                        + ": ENOENT; set cores.path of the configuration");
    }

    @ParameterizedTest
    @CsvSource({ "true, WB", "false, UC" })
    void aRangeOfAMemoryDeviceIsCachedOrNotAsTheSwitchSays(boolean cached, MemoryType type) throws Exception {
        file("dev/mem", 8 * PAGE);
        try (CardCores cores = open("memory: device, path: FOLDER/dev/mem, offset: 0x3000, length: 8 KiB, cached: "
                + cached)) {
            assertThat(cores.sizeBytes()).isEqualTo(8192);
            assertThat(cores.memory().type()).isEqualTo(type);
            cores.memory().storeRelease(0, 3);
            assertThat(word("dev/mem", 0x3000)).isEqualTo(3);
        }
    }

    @Test
    void aRangeOutsideAndADeviceWithoutALengthAreSaid() throws Exception {
        file("dev/mem", 8 * PAGE);
        assertThatThrownBy(() -> open("memory: device, path: FOLDER/dev/mem, offset: 0x7000, length: 8 KiB"))
                .hasMessage("map the card's memory: " + folder.resolve("dev/mem")
                        + ": it has 32768 bytes, and [28672, +8192) lies outside; set cores.offset and cores.length of the"
                        + " configuration");
        assertThatThrownBy(() -> open("memory: device, path: /dev/zero, offset: 0x1000"))
                .hasMessage("map the card's memory: /dev/zero: a device does not say how much memory there is; set"
                        + " cores.length of the configuration");
        assertThatThrownBy(() -> open("memory: file, path: FOLDER/absent"))
                .hasMessage("map the card's memory: " + folder.resolve("absent")
                        + ": ENOENT; set cores.path of the configuration");
    }

    @Test
    void aDeviceThatCannotBeMappedIsSaid() throws Exception {
        assertThatThrownBy(() -> open("memory: device, path: /dev/tty, length: 4 KiB")).as("no terminal, or no memory")
                .isInstanceOf(DeviceException.class)
                .hasMessageMatching("map the card's memory: /dev/tty \\[0x0, \\+4096\\): E[A-Z]+; .*");
        assertThatThrownBy(() -> open("memory: device, path: /dev/null, length: 4 KiB"))
                .hasMessage("map the card's memory: /dev/null [0x0, +4096): ENODEV; Check the path: ls -l /dev/null");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            open | EACCES | be root: it takes CAP_SYS_RAWIO, whoever owns the file
            open | EPERM  | be root: it takes CAP_SYS_RAWIO, whoever owns the file
            open | ENOENT | the kernel has none (CONFIG_DEVMEM); use cores.memory: uio or pci
            mmap | EPERM  | the kernel keeps its own memory and what a driver has: take a reserved range (/proc/iomem), or boot with iomem=relaxed
            mmap | EINVAL | see cores.offset and cores.length: this machine has no such addresses
            """)
    void theCureForTheMachinesMemoryIsByWhatWasRefused(String step, String errno, String cure) {
        int number = switch (errno) {
            case "EACCES" -> Errno.EACCES;
            case "EPERM" -> Errno.EPERM;
            case "ENOENT" -> Errno.ENOENT;
            default -> Errno.EINVAL;
        };
        assertThat(MappedCores.remedy("/dev/mem", new NativeException(step, "/dev/mem", number))).isEqualTo(cure);
    }
}
