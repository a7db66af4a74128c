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

    @Test
    void anAmdIommuIsUnderstood() {
        KernelFaults.Line line = KernelFaults.parse("vfio-pci 0000:01:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT "
                + "device=0000:01:00.0 domain=0x0012 address=0xfe000 flags=0x0020]").orElseThrow();
        assertThat(line.device()).hasToString("0000:01:00.0");
        assertThat(line.fault().iova()).isEqualTo(new Iova(0xfe000));
        assertThat(line.fault().write()).isTrue();
    }

    @Test
    void otherLinesAreNoFaults() {
        assertThat(KernelFaults.parse("DMAR: DRHD: handling fault status reg 2")).isEmpty();
        assertThat(KernelFaults.parse("DMAR: [DMA Write NO_PASID] Request device [99:99.9] fault addr 0x1 [fault reason"
                + " 1] x")).isEmpty();
        assertThat(KernelFaults.parse("")).isEmpty();
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
