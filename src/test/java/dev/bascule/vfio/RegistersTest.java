package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.Bar;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Fd;
import dev.bascule.memory.DeviceWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.SharedMemory;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Registers on a file that stands for a device. */
class RegistersTest {
    private final SharedMemory device = SharedMemory.create("device", 16384);
    private final Registers file = new FileRegisters(fd(device), 4096, 8192, "fake");

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void everyWidthIsReadAndWrittenAtItsPlace() {
        for (int width : new int[] { 1, 2, 4, 8 }) {
            file.write(64, 8, 0);
            file.write(64, width, 0x8877_6655_4433_2211L);
            long mask = FileRegisters.ones(width);
            assertThat(file.read(64, 8)).isEqualTo(0x8877_6655_4433_2211L & mask);
            assertThat(file.read(64, width)).isEqualTo(0x8877_6655_4433_2211L & mask);
        }
        assertThat(device.segment().get(ValueLayout.JAVA_LONG, 4096 + 64)).isEqualTo(0x8877_6655_4433_2211L);
    }

    @Test
    void offsetsOutsideAndOtherWidthsAreRefused() {
        for (Registers registers : List.of(file, mapped())) {
            assertThatThrownBy(() -> registers.read(8192, 4)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> registers.read(-4, 4)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> registers.read(2, 4)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> registers.write(0, 3, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aFileThatEndsReadsAsAllOnes() {
        Registers beyond = new FileRegisters(fd(device), 1 << 20, 4096, "gone");
        assertThat(beyond.read32(0)).isEqualTo(-1);
        assertThat(beyond.read16(0)).isEqualTo(0xffff);
    }

    private Registers mapped() {
        Bar.Area area = new Bar.Area(4096, 4096);
        return new MappedRegisters(List.of(new MappedRegisters.Part(area, device.segment().asSlice(8192, 4096))), file);
    }

    @Test
    void mappedPartsAreLoadedAndStoredAndTheRestGoesByFile() {
        Registers both = mapped();
        for (int width : new int[] { 1, 2, 4, 8 }) {
            both.write(4096 + 8, width, 0x1122_3344_5566_7788L);
            assertThat(both.read(4096 + 8, width)).isEqualTo(0x1122_3344_5566_7788L & FileRegisters.ones(width));
        }
        both.write32(16, 77);
        assertThat(file.read32(16)).isEqualTo(77);
        assertThat(file.read(4096 + 8, 8)).as("the file and the mapping are one").isEqualTo(0x1122_3344_5566_7788L);
    }

    @Test
    void aMappingTheKernelTookAwayReadsAsAllOnes() {
        try (SharedMemory cut = SharedMemory.create(java.nio.file.Path.of("/dev/shm/bascule-cut-" + ProcessHandle
                .current().pid()), 4096)) {
            Registers registers = new MappedRegisters(
                    List.of(new MappedRegisters.Part(new Bar.Area(0, 4096), cut.segment())),
                    new FileRegisters(fd(cut), 0, 4096, "cut"));
            registers.write32(0, 5);
            assertThat(registers.read32(0)).isEqualTo(5);
            fd(cut).truncate(0);
            assertThat(registers.read32(0)).isEqualTo(-1);
            registers.write32(0, 6); // swallowed
            cut.unlink();
        }
    }

    @Test
    void windowsAreOfTheTypeTheyAreMappedWith() {
        for (MemoryType type : new MemoryType[] { MemoryType.UC, MemoryType.WC }) {
            DeviceWindow window = new DeviceWindow(device.segment(), type);
            window.storeRelease(128, 42);
            window.writeFence();
            window.invalidateLine(128);
            window.prefetchLine(128);
            assertThat(window.loadAcquire(128)).isEqualTo(42);
            assertThat(window.type()).isEqualTo(type);
            assertThat(window.arrived(128)).isTrue();
            assertThat(window.sizeBytes()).isEqualTo(16384);
        }
    }

    private static Fd fd(SharedMemory memory) {
        return Fd.adopt(memory.fileDescriptor(), "fake");
    }
}
