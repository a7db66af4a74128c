package dev.bascule.vfio;

import dev.bascule.device.DmaDirection;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A kernel's address space that keeps a book and refuses when told to. */
final class FakeIommu implements Iommu {
    final TreeMap<Long, Long> mapped = new TreeMap<>();
    final List<String> log = new ArrayList<>();
    IommuInfo info = new IommuInfo("fake", 0x40201000L, List.of(new IommuInfo.Range(0, 0xfedfffffL),
            new IommuInfo.Range(0xfef00000L, (1L << 39) - 1)), 65535, false);
    int refuseWith;
    /** As without an IOMMU: addresses are those of the memory. */
    boolean physical;

    @Override
    public Fd attach(PciAddress address) {
        throw new UnsupportedOperationException("no device here");
    }

    @Override
    public IommuInfo info() {
        return info;
    }

    @Override
    public long map(MemorySegment memory, long iova, DmaDirection direction) {
        if (refuseWith != 0) {
            throw new NativeException("VFIO_IOMMU_MAP_DMA", "/dev/vfio/vfio", refuseWith);
        }
        if (physical) {
            return memory.address();
        }
        mapped.put(iova, memory.byteSize());
        log.add("map " + Long.toHexString(iova) + " " + memory.byteSize() + " " + direction);
        return iova;
    }

    @Override
    public void unmap(long iova, long lengthBytes) {
        if (mapped.remove(iova) == null) {
            throw new AssertionError("unmap of nothing at " + iova);
        }
        log.add("unmap " + Long.toHexString(iova) + " " + lengthBytes);
    }

    @Override
    public void unmapAll() {
        mapped.clear();
        log.add("unmap all");
    }

    @Override
    public List<Fd> groups() {
        return List.of();
    }

    @Override
    public void close() {
        log.add("close");
    }
}
