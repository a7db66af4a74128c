package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Bar;
import dev.bascule.ffi.generated.vfio_h;
import dev.bascule.ffi.generated.vfio_iommu_type1_info;
import dev.bascule.ffi.generated.vfio_pci_hot_reset_info;
import dev.bascule.ffi.generated.vfio_region_info;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Answers of the kernel with chains of capabilities, laid out by hand as linux/vfio.h says. */
class KernelAnswersTest {
    private final MemorySegment answer = Arena.ofAuto().allocate(512, 8);

    private void cap(long at, int id, int next) {
        answer.set(ValueLayout.JAVA_SHORT, at, (short) id);
        answer.set(ValueLayout.JAVA_SHORT, at + 2, (short) 1);
        answer.set(ValueLayout.JAVA_INT, at + 4, next);
    }

    private void region(int flags, long size, int firstCap) {
        vfio_region_info.flags(answer, flags);
        vfio_region_info.index(answer, 2);
        vfio_region_info.size(answer, size);
        vfio_region_info.offset(answer, 2L << 40);
        vfio_region_info.cap_offset(answer, firstCap);
    }

    @Test
    void aPlainRegionIsMappableAsAWholeOrNotAtAll() {
        region(7, 1 << 20, 0);
        RegionInfo all = RegionInfo.parse(answer);
        assertThat(all.mappable()).containsExactly(new Bar.Area(0, 1 << 20));
        assertThat(all.fileOffset()).isEqualTo(2L << 40);
        region(3, 1 << 20, 0);
        assertThat(RegionInfo.parse(answer).mappable()).isEmpty();
    }

    @Test
    void sparseAreasReplaceTheWhole() {
        region(7 | 8, 0x10000, 64);
        cap(64, vfio_h.VFIO_REGION_INFO_CAP_SPARSE_MMAP(), 128);
        answer.set(ValueLayout.JAVA_INT, 72, 2);
        for (int i = 0; i < 2; i++) {
            answer.set(ValueLayout.JAVA_LONG, 80 + 16L * i, 0x4000L * i);
            answer.set(ValueLayout.JAVA_LONG, 88 + 16L * i, 0x2000);
        }
        cap(128, vfio_h.VFIO_REGION_INFO_CAP_MSIX_MAPPABLE(), 0);
        RegionInfo region = RegionInfo.parse(answer);
        assertThat(region.mappable()).containsExactly(new Bar.Area(0, 0x2000), new Bar.Area(0x4000, 0x2000));
    }

    @Test
    void areasOutsideTheRegionAreDropped() {
        region(7 | 8, 0x1000, 64);
        cap(64, vfio_h.VFIO_REGION_INFO_CAP_SPARSE_MMAP(), 0);
        answer.set(ValueLayout.JAVA_INT, 72, 1);
        answer.set(ValueLayout.JAVA_LONG, 80, 0x800);
        answer.set(ValueLayout.JAVA_LONG, 88, 0x1000);
        assertThat(RegionInfo.parse(answer).mappable()).isEmpty();
    }

    @Test
    void chainsThatLoopOrLeaveTheAnswerEnd() {
        region(7 | 8, 0x1000, 64);
        cap(64, 77, 64);
        assertThat(RegionInfo.parse(answer).mappable()).hasSize(1);
        cap(64, 77, 1 << 20);
        assertThat(RegionInfo.parse(answer).mappable()).hasSize(1);
        region(7 | 8, 0x1000, 510);
        assertThat(RegionInfo.parse(answer).mappable()).hasSize(1);
    }

    @Test
    void theIommusLimitsAreRead() {
        vfio_iommu_type1_info.flags(answer, 3);
        vfio_iommu_type1_info.iova_pgsizes(answer, 0x40201000L);
        vfio_iommu_type1_info.cap_offset(answer, 64);
        cap(64, vfio_h.VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE(), 160);
        answer.set(ValueLayout.JAVA_INT, 72, 2);
        answer.set(ValueLayout.JAVA_LONG, 80, 0);
        answer.set(ValueLayout.JAVA_LONG, 88, 0xfedfffffL);
        answer.set(ValueLayout.JAVA_LONG, 96, 0xfef00000L);
        answer.set(ValueLayout.JAVA_LONG, 104, 0x7fffffffffL);
        cap(160, vfio_h.VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL(), 192);
        answer.set(ValueLayout.JAVA_INT, 168, 65535);
        cap(192, vfio_h.VFIO_IOMMU_TYPE1_INFO_CAP_MIGRATION(), 0);
        IommuInfo info = TypeOneIommu.parse(answer);
        assertThat(info.ranges()).extracting(IommuInfo.Range::toString).containsExactly("0x0-0xfedfffff",
                "0xfef00000-0x7fffffffff");
        assertThat(info.mappingsLeft()).isEqualTo(65535);
        assertThat(info.dirtyTracking()).isTrue();
        assertThat(info.smallestPageBytes()).isEqualTo(4096);
    }

    @Test
    void anOldKernelThatTellsNothingIsTakenAsItIs() {
        IommuInfo info = TypeOneIommu.parse(answer);
        assertThat(info.ranges()).isEmpty();
        assertThat(info.mappingsLeft()).isEqualTo(-1);
        assertThat(info.smallestPageBytes()).isPositive();
    }

    @Test
    void devicesHitByAHotResetAreNamed() {
        vfio_pci_hot_reset_info.count(answer, 2);
        answer.set(ValueLayout.JAVA_INT, 12, 5);
        answer.set(ValueLayout.JAVA_SHORT, 16, (short) 0);
        answer.set(ValueLayout.JAVA_BYTE, 18, (byte) 3);
        answer.set(ValueLayout.JAVA_BYTE, 19, (byte) 0);
        answer.set(ValueLayout.JAVA_INT, 20, 5);
        answer.set(ValueLayout.JAVA_BYTE, 26, (byte) 3);
        answer.set(ValueLayout.JAVA_BYTE, 27, (byte) 9);
        assertThat(HotReset.parse(answer)).extracting(d -> d.address() + " " + d.groupOrDevice())
                .containsExactly("0000:03:00.0 5", "0000:03:01.1 5");
    }
}
