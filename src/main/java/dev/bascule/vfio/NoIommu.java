package dev.bascule.vfio;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.generated.vfio_h;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.Hugepages;
import dev.bascule.memory.PageSizes;
import dev.bascule.memory.Pagemap;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The no-IOMMU mode: the device uses physical addresses and can reach all memory of the machine. A mapping must be
 * physically contiguous, which one hugepage is, and must not move, which the kernel promises for nothing else: it moves
 * ordinary pages, locked ones too, when it makes room for larger ones.
 */
final class NoIommu implements Iommu {
    private static final System.Logger LOG = System.getLogger(NoIommu.class.getName());
    private static final int NO_IOMMU = 8;
    private static final long PAGE_BYTES = 4096;

    private final VfioOptions options;
    private final Fd container;
    private final List<VfioGroup> groups = new ArrayList<>();

    private NoIommu(VfioOptions options, Fd container) {
        this.options = options;
        this.container = container;
    }

    static NoIommu open(VfioOptions options) {
        LOG.log(System.Logger.Level.WARNING,
                "no IOMMU: a fault of the device or its driver can overwrite any memory of this machine");
        return new NoIommu(options, TypeOneIommu.openContainer(options));
    }

    @Override
    public Fd attach(PciAddress address) {
        VfioGroup opened = VfioGroup.open(address, options);
        try {
            opened.setContainer(container);
            if (groups.isEmpty()) {
                container.ioctl("VFIO_SET_IOMMU", vfio_h.VFIO_SET_IOMMU(), NO_IOMMU);
            }
            Fd device = opened.openDevice(address);
            groups.add(opened);
            return device;
        } catch (NativeException e) {
            opened.close();
            throw VfioErrors.of("set up without an IOMMU", address.toString(), e);
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public IommuInfo info() {
        return new IommuInfo("no-IOMMU", -PAGE_BYTES, List.of(), -1, false);
    }

    @Override
    public DmaBuffer allocate(String name, long lengthBytes) {
        long page = lengthBytes <= Hugepages.SIZE_2M ? Hugepages.SIZE_2M : Hugepages.SIZE_1G;
        String size = page == Hugepages.SIZE_2M ? "2 MiB" : "1 GiB";
        if (lengthBytes > page) {
            throw new DeviceException("allocate DMA memory", name + ", " + lengthBytes + " bytes",
                    "without an IOMMU it must lie on one hugepage, of which the largest has 1 GiB",
                    "use smaller buffers, or an IOMMU");
        }
        try {
            return DmaBuffer.allocateHuge(name, lengthBytes, page);
        } catch (NativeException e) {
            throw new DeviceException("allocate DMA memory", name + ", " + lengthBytes + " bytes",
                    "without an IOMMU it must lie on one hugepage of " + size + ", and none can be had: "
                            + e.errnoName(),
                    "echo 64 | sudo tee /sys/kernel/mm/hugepages/hugepages-" + page / 1024
                            + "kB/nr_hugepages, or use an"
                            + " IOMMU",
                    e);
        }
    }

    @Override
    public long map(MemorySegment memory, long iova, DmaDirection direction) {
        requireHugepages(memory);
        try (Pagemap pagemap = Pagemap.open()) {
            long first = pagemap.physicalAddress(memory, 0);
            for (long at = PAGE_BYTES; at < memory.byteSize(); at += PAGE_BYTES) {
                if (pagemap.physicalAddress(memory, at) != first + at) {
                    throw new DeviceException("map for DMA", memory.byteSize() + " bytes",
                            "without an IOMMU the memory must be physically contiguous, and it is not after " + at
                                    + " bytes",
                            "use buffers of at most one hugepage, and reserve some: echo 64 > "
                                    + "/proc/sys/vm/nr_hugepages");
                }
            }
            return first;
        }
    }

    private static void requireHugepages(MemorySegment memory) {
        long page = PageSizes.of(memory);
        if (page < Hugepages.SIZE_2M) {
            throw new DeviceException("map for DMA", memory.byteSize() + " bytes", "it lies on pages of " + page
                    + " bytes, which the kernel may move while the device writes to where they were",
                    "without an IOMMU take memory from AddressSpace.allocate, and reserve hugepages: echo 64 | sudo tee"
                            + " /proc/sys/vm/nr_hugepages");
        }
    }

    @Override
    public void unmap(long iova, long lengthBytes) {
        // there is nothing between the device and memory
    }

    @Override
    public void unmapAll() {
        // see unmap
    }

    @Override
    public List<Fd> groups() {
        return groups.stream().map(VfioGroup::fd).toList();
    }

    @Override
    public void close() {
        for (int i = groups.size() - 1; i >= 0; i--) {
            groups.get(i).close();
        }
        container.close();
    }
}
