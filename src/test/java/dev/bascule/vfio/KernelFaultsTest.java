package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Iova;
import dev.bascule.pci.PciAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelFaultsTest {
    private static final String WRITE = "3,712,5140900,-;DMAR: [DMA Write NO_PASID] Request device [00:04.0] "
            + "fault addr 0xe000000 [fault reason 0x05] PTE Write access is not set\n";

    @TempDir
    private Path dev = Path.of("");

    @Test
    void aRefusedWriteOfAnIntelIommuIsUnderstood() {
        KernelFaults.Line line = KernelFaults.parse(WRITE).orElseThrow();
        assertThat(line.device()).hasToString("0000:00:04.0");
        assertThat(line.fault().iova()).isEqualTo(new Iova(0xe000000));
        assertThat(line.fault().write()).isTrue();
        assertThat(line.fault().reason()).isEqualTo("fault reason 0x05 PTE Write access is not set");
    }

    @Test
    void aRefusedReadOfAnIntelIommuIsUnderstood() {
        KernelFaults.Line line = KernelFaults.parse("DMAR: [DMA Read NO_PASID] Request device [0000:81:00.1] fault addr"
                + " 0xffdd0000 [fault reason 0x06] PTE Read access is not set").orElseThrow();
        assertThat(line.device()).hasToString("0000:81:00.1");
        assertThat(line.fault().write()).isFalse();
    }

    /** As kernels wrote them: 6.1, 5.8, 4.19, 4.9 (in two lines) and 3.x, read or write; the last behind QEMU 11.1.2, of a write. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ath10k_pci 0000:01:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x000d address=0xcff49550 flags=0x0070] | 0000:01:00.0 | cff49550 | true
            nvme 0000:01:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0000 address=0xfc189000 flags=0x0000] | 0000:01:00.0 | fc189000 | false
            vfio-pci 0000:03:00.1: AMD-Vi: Event logged [IO_PAGE_FAULT device=03:00.1 domain=0x0012 address=0xfe000 flags=0x0020] | 0000:03:00.1 | fe000 | true
            IO_PAGE_FAULT device=05:00.0 domain=0x0012 address=0x00000000ff6101b0 flags=0x0070] | 0000:05:00.0 | ff6101b0 | true
            AMD-Vi: Event logged [IO_PAGE_FAULT device=01:00.0 domain=0x0017 address=0x0000000000000000 flags=0x0010] | 0000:01:00.0 | 0 | false
            3,801,9140900,-;vfio-pci 0000:00:05.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0004 address=0x2000000 flags=0x0020] | 0000:00:05.0 | 2000000 | true
            vfio-pci 0000:00:05.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0000 address=0x0 flags=0x000a] | 0000:00:05.0 | 0 | false
            """)
    void anAmdIommuIsUnderstood(String text, String device, String address, boolean write) {
        KernelFaults.Line line = KernelFaults.parse(text + "\n SUBSYSTEM=pci\n").orElseThrow();
        assertThat(line.device()).hasToString(device);
        assertThat(line.fault().iova()).isEqualTo(new Iova(Long.parseLong(address, 16)));
        assertThat(line.fault().write()).isEqualTo(write);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            DMAR: [DMA Write] Request device [03:00.0] fault addr ffffe000 [fault reason 05] PTE Write access is not set | 0000:03:00.0 | ffffe000 | true
            DMAR: [DMA Read] Request device [05:00.0] PASID ffffffff fault addr f7a00000 [fault reason 06] PTE Read access is not set | 0000:05:00.0 | f7a00000 | false
            DMAR: [DMA Write NO_PASID] Request device [0000:81:00.1] fault addr 0xe000000 [fault reason 0x05] PTE Write access is not set | 0000:81:00.1 | e000000 | true
            """)
    void anIntelIommuIsUnderstoodToo(String text, String device, String address, boolean write) {
        KernelFaults.Line line = KernelFaults.parse(text).orElseThrow();
        assertThat(line.device()).hasToString(device);
        assertThat(line.fault().iova()).isEqualTo(new Iova(Long.parseLong(address, 16)));
        assertThat(line.fault().write()).isEqualTo(write);
    }

    @Test
    void otherLinesAreNoFaults() {
        assertThat(KernelFaults.parse("DMAR: DRHD: handling fault status reg 2")).isEmpty();
        assertThat(KernelFaults.parse("DMAR: [DMA Write NO_PASID] Request device [99:99.9] fault addr 0x1 [fault reason"
                + " 1] x")).isEmpty();
        assertThat(KernelFaults.parse("")).isEmpty();
        assertThat(KernelFaults.parse("AMD-Vi: Event logged [INVALID_DEVICE_REQUEST device=00:00.1 address=0xfdf8000020"
                + " flags=0x0a00]")).isEmpty();
        assertThat(KernelFaults.parse("IO_PAGE_FAULT domain=0x0012 address=0xfe000 flags=0x0020]")).as("of nobody")
                .isEmpty();
    }

    @Test
    void withoutTheLogThereAreNoFaults() {
        KernelFaults faults = KernelFaults.open(dev);
        assertThat(faults.count()).isZero();
        assertThat(faults.recent()).isEmpty();
        faults.close();
    }

    @Test
    void onlyNewFaultsOfWatchedDevicesCount() throws IOException {
        Path log = Files.writeString(dev.resolve("kmsg"), WRITE);
        KernelFaults faults = KernelFaults.open(dev);
        faults.watch(PciAddress.parse("00:04.0"));
        assertThat(faults.count()).as("old lines").isZero();
        Files.writeString(log, WRITE, StandardOpenOption.APPEND);
        assertThat(faults.count()).isEqualTo(1);
        Files.writeString(log, WRITE.replace("00:04.0", "00:05.0"), StandardOpenOption.APPEND);
        assertThat(faults.count()).as("another device").isEqualTo(1);
        assertThat(faults.recent()).singleElement().asString().contains("DMA write").contains("0xe000000");
        faults.close();
    }
}
