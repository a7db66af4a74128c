package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.ffi.Errno;
import dev.bascule.memory.DmaBuffer;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VfioAddressSpaceTest {
    private final FakeIommu iommu = new FakeIommu();
    private final VfioAddressSpace space = new VfioAddressSpace(iommu, KernelFaults.open(Path.of("/nowhere")));
    private final DmaBuffer buffer = DmaBuffer.allocate("test", 64 << 10, DmaBuffer.Locking.PREFERRED);

    @AfterEach
    void close() {
        buffer.close();
    }

    private MappableMemory part(long offset, long bytes) {
        return MappableMemory.local(buffer.segment().asSlice(offset, bytes));
    }

    @Test
    void mappingsGetDistinctAddressesAboveTheFirstMebibyte() {
        Iova first = space.map(part(0, 8192), DmaDirection.BOTH);
        Iova second = space.map(part(8192, 4096), DmaDirection.DEVICE_READS);
        assertThat(first.value()).isGreaterThanOrEqualTo(1 << 20);
        assertThat(second.value()).isEqualTo(first.value() + 8192);
        assertThat(iommu.log).containsExactly("map 100000 8192 BOTH", "map 102000 4096 DEVICE_READS");
        assertThat(space.mappedBytes()).isEqualTo(12288);
        space.unmap(first);
        assertThat(space.map(part(0, 4096), DmaDirection.BOTH)).as("addresses are used again").isEqualTo(first);
    }

    @Test
    void whatIsNotWholePagesIsRefusedBeforeTheKernelSeesIt() {
        for (MappableMemory bad : List.of(part(16, 4096), part(0, 100), part(0, 0),
                MappableMemory.local(MemorySegment.ofArray(new byte[4096])))) {
            assertThatThrownBy(() -> space.map(bad, DmaDirection.BOTH)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("whole pages").hasMessageContaining("4096");
        }
        assertThatThrownBy(() -> space.mapAt(new Iova(100), part(0, 4096), DmaDirection.BOTH))
                .hasMessageContaining("whole pages");
        assertThat(iommu.log).isEmpty();
    }

    @Test
    void overlapsNameTheMappingInTheWay() {
        space.mapAt(new Iova(0x20_0000), part(0, 8192), DmaDirection.BOTH);
        for (long at : new long[] { 0x20_0000, 0x20_1000, 0x1f_f000 }) {
            assertThatThrownBy(() -> space.mapAt(new Iova(at), part(8192, 8192), DmaDirection.BOTH))
                    .isInstanceOf(DeviceException.class).hasMessageContaining("overlaps the mapping at iova 0x200000");
        }
        assertThat(iommu.mapped).hasSize(1);
    }

    @Test
    void addressesTheIommuDoesNotTranslateAreNamedWithThoseItDoes() {
        for (long at : new long[] { 0xfee0_0000L, 0xfedf_f000L, 1L << 39 }) {
            assertThatThrownBy(() -> space.mapAt(new Iova(at), part(0, 8192), DmaDirection.BOTH))
                    .isInstanceOf(DeviceException.class).hasMessageContaining("does not translate")
                    .hasMessageContaining("0xfef00000-0x7fffffffff");
        }
    }

    @Test
    void aTightLimitOfLockedMemoryIsToldWithNeedAndRemedy() {
        space.map(part(0, 8192), DmaDirection.BOTH);
        iommu.refuseWith = Errno.ENOMEM;
        assertThatThrownBy(() -> space.map(part(8192, 4096), DmaDirection.BOTH)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("ENOMEM (12)").hasMessageContaining("lock 12 KiB in all")
                .hasMessageContaining("8 KiB are mapped").hasMessageContaining("the limit of this process is")
                .hasMessageContaining("ulimit -l");
        iommu.refuseWith = 0;
        assertThat(space.map(part(8192, 4096), DmaDirection.BOTH)).as("nothing leaked").isEqualTo(new Iova(0x102000));
    }

    @Test
    void asManyMappingsAsTheKernelAllowsIsToldToo() {
        iommu.refuseWith = Errno.ENOSPC;
        assertThatThrownBy(() -> space.map(part(0, 4096), DmaDirection.BOTH))
                .hasMessageContaining("as many as the kernel")
                .hasMessageContaining("dma_entry_limit");
    }

    @Test
    void unmappingWhatIsNotMappedIsAnError() {
        Iova mapped = space.map(part(0, 8192), DmaDirection.BOTH);
        assertThatThrownBy(() -> space.unmap(mapped.plus(4096))).isInstanceOf(DeviceException.class)
                .hasMessageContaining("no mapping starts there");
        space.unmap(mapped);
        assertThatThrownBy(() -> space.unmap(mapped)).isInstanceOf(DeviceException.class);
    }

    @Test
    void everythingCanBeUnmappedAtOnce() {
        space.map(part(0, 4096), DmaDirection.BOTH);
        space.mapAt(new Iova(0x4000_0000), part(4096, 4096), DmaDirection.BOTH);
        assertThat(space.unmapAll()).isEqualTo(2);
        assertThat(iommu.log).last().isEqualTo("unmap all");
        assertThat(space.mappedBytes()).isZero();
        assertThat(space.map(part(0, 4096), DmaDirection.BOTH)).isEqualTo(new Iova(0x100000));
    }

    @Test
    void largeMappingsAreAlignedForLargePages() {
        try (DmaBuffer large = DmaBuffer.allocate("large", 4 << 20, DmaBuffer.Locking.PREFERRED)) {
            space.map(part(0, 4096), DmaDirection.BOTH);
            Iova at = space.map(MappableMemory.local(large.segment()), DmaDirection.BOTH);
            assertThat(at.value() % (2 << 20)).isZero();
        }
    }

    @Test
    void anIommuThatTellsNoRangesGetsModestAddresses() {
        iommu.info = new IommuInfo("fake", 4096, List.of(), -1, false);
        VfioAddressSpace plain = new VfioAddressSpace(iommu, KernelFaults.open(Path.of("/nowhere")));
        assertThat(plain.map(part(0, 4096), DmaDirection.BOTH).value()).isBetween(1L << 20, 1L << 39);
    }

    @Test
    void withoutAnIommuMemoryIsMappedOnce() {
        iommu.physical = true;
        assertThat(space.map(part(4096, 4096), DmaDirection.BOTH).value()).isEqualTo(part(4096, 1).segment().address());
        assertThatThrownBy(() -> space.map(part(0, 8192), DmaDirection.BOTH)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("overlaps the mapping at");
        assertThat(space.mappedBytes()).isEqualTo(4096);
    }

    @Test
    void closedIsClosed() {
        space.close();
        assertThatThrownBy(() -> space.map(part(0, 4096), DmaDirection.BOTH)).isInstanceOf(IllegalStateException.class);
        assertThat(space.faultCount()).isZero();
    }
}
