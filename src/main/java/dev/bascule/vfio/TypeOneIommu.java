package dev.bascule.vfio;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.KeptIoctl;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.generated.vfio_h;
import dev.bascule.ffi.generated.vfio_info_cap_header;
import dev.bascule.ffi.generated.vfio_iommu_type1_dma_map;
import dev.bascule.ffi.generated.vfio_iommu_type1_dma_unmap;
import dev.bascule.ffi.generated.vfio_iommu_type1_info;
import dev.bascule.ffi.generated.vfio_iommu_type1_info_cap_iova_range;
import dev.bascule.ffi.generated.vfio_iommu_type1_info_dma_avail;
import dev.bascule.ffi.generated.vfio_iova_range;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The legacy interface: a container with a type-1 IOMMU, and the groups put into it. */
final class TypeOneIommu implements Iommu {
    private static final int INFO_BYTES = 4096;

    private final VfioOptions options;
    private final Fd container;
    private final List<VfioGroup> groups = new ArrayList<>();
    private final KeptIoctl map;
    private final KeptIoctl unmap;

    private TypeOneIommu(VfioOptions options, Fd container) {
        this.options = options;
        this.container = container;
        this.map = kept(container, "VFIO_IOMMU_MAP_DMA", vfio_h.VFIO_IOMMU_MAP_DMA(),
                vfio_iommu_type1_dma_map.sizeof());
        this.unmap = kept(container, "VFIO_IOMMU_UNMAP_DMA", vfio_h.VFIO_IOMMU_UNMAP_DMA(),
                vfio_iommu_type1_dma_unmap.sizeof());
    }

    /** Both structs begin with their size. */
    private static KeptIoctl kept(Fd container, String step, long request, long bytes) {
        KeptIoctl made = new KeptIoctl(container, step, request, bytes);
        vfio_iommu_type1_dma_map.argsz(made.argument(), (int) bytes);
        return made;
    }

    static TypeOneIommu open(VfioOptions options) {
        return new TypeOneIommu(options, openContainer(options));
    }

    /** Opens the container; shared with the no-IOMMU mode. */
    static Fd openContainer(VfioOptions options) {
        try {
            Fd fd = Libc.open(options.dev().resolve("vfio/vfio").toString(), Linux.O_RDWR);
            int version = fd.ioctl("VFIO_GET_API_VERSION", vfio_h.VFIO_GET_API_VERSION(), 0);
            if (version != 0) {
                fd.close();
                throw new DeviceException("open VFIO", fd.name(), "the kernel speaks version " + version
                        + " of the interface, this program knows 0", "use a kernel of the 3.6 to 7 line");
            }
            return fd;
        } catch (NativeException e) {
            String node = options.dev().resolve("vfio/vfio").toString();
            if (e.errno() == Errno.ENOENT) {
                throw new DeviceException("open VFIO", node, "ENOENT (2): the kernel's VFIO is not loaded",
                        "sudo modprobe vfio-pci", e);
            }
            throw VfioErrors.of("open VFIO", node, e, "sudo modprobe vfio-pci");
        }
    }

    @Override
    public Fd attach(PciAddress address) {
        int number = VfioGroup.numberOf(address, options);
        for (VfioGroup group : groups) {
            if (group.number() == number) { // the kernel lets a group be opened once
                return group.openDevice(address);
            }
        }
        VfioGroup opened = VfioGroup.open(address, options);
        try {
            opened.setContainer(container);
            if (groups.isEmpty()) {
                container.ioctl("VFIO_SET_IOMMU", vfio_h.VFIO_SET_IOMMU(), vfio_h.VFIO_TYPE1v2_IOMMU());
            }
            Fd device = opened.openDevice(address);
            groups.add(opened);
            return device;
        } catch (NativeException e) {
            opened.close();
            throw VfioErrors.of("set up the IOMMU", address.toString(), e);
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public IommuInfo info() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(INFO_BYTES, 8);
            vfio_iommu_type1_info.argsz(info, INFO_BYTES);
            container.ioctl("VFIO_IOMMU_GET_INFO", vfio_h.VFIO_IOMMU_GET_INFO(), info);
            return parse(info);
        } catch (NativeException e) {
            throw VfioErrors.of("ask the IOMMU", container.name(), e);
        }
    }

    /** Decodes the answer with its chain of capabilities, whose offsets are not trusted. */
    static IommuInfo parse(MemorySegment info) {
        int flags = vfio_iommu_type1_info.flags(info);
        long pages = (flags & vfio_h.VFIO_IOMMU_INFO_PGSIZES()) != 0
                ? vfio_iommu_type1_info.iova_pgsizes(info)
                : Libc.pageSizeBytes();
        List<IommuInfo.Range> ranges = new ArrayList<>();
        long left = -1;
        boolean dirty = false;
        int at = (flags & vfio_h.VFIO_IOMMU_INFO_CAPS()) != 0 ? vfio_iommu_type1_info.cap_offset(info) : 0;
        for (int steps = 0; at > 0 && at <= info.byteSize() - 64 && steps < 32; steps++) {
            MemorySegment cap = info.asSlice(at);
            int id = vfio_info_cap_header.id(cap) & 0xffff;
            if (id == vfio_h.VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE()) {
                readRanges(cap, ranges);
            } else if (id == vfio_h.VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL()) {
                left = Integer.toUnsignedLong(vfio_iommu_type1_info_dma_avail.avail(cap));
            } else if (id == vfio_h.VFIO_IOMMU_TYPE1_INFO_CAP_MIGRATION()) {
                dirty = true;
            }
            at = vfio_info_cap_header.next(cap);
        }
        return new IommuInfo("type-1", pages, ranges, left, dirty);
    }

    private static void readRanges(MemorySegment cap, List<IommuInfo.Range> ranges) {
        int count = vfio_iommu_type1_info_cap_iova_range.nr_iovas(cap);
        long first = vfio_iommu_type1_info_cap_iova_range.layout().byteSize();
        for (int i = 0; i < count && first + (i + 1) * vfio_iova_range.sizeof() <= cap.byteSize(); i++) {
            MemorySegment range = cap.asSlice(first + i * vfio_iova_range.sizeof());
            ranges.add(new IommuInfo.Range(vfio_iova_range.start(range), vfio_iova_range.end(range)));
        }
    }

    @Override
    public long map(MemorySegment memory, long iova, DmaDirection direction) {
        MemorySegment struct = map.argument();
        vfio_iommu_type1_dma_map.flags(struct, (direction.allows(false) ? vfio_h.VFIO_DMA_MAP_FLAG_READ() : 0)
                | (direction.allows(true) ? vfio_h.VFIO_DMA_MAP_FLAG_WRITE() : 0));
        vfio_iommu_type1_dma_map.vaddr(struct, memory.address());
        vfio_iommu_type1_dma_map.iova(struct, iova);
        vfio_iommu_type1_dma_map.size(struct, memory.byteSize());
        map.call();
        return iova;
    }

    @Override
    public void unmap(long iova, long lengthBytes) {
        unmap(iova, lengthBytes, 0);
    }

    @Override
    public void unmapAll() {
        unmap(0, 0, vfio_h.VFIO_DMA_UNMAP_FLAG_ALL());
    }

    private void unmap(long iova, long lengthBytes, int flags) {
        MemorySegment struct = unmap.argument();
        vfio_iommu_type1_dma_unmap.flags(struct, flags);
        vfio_iommu_type1_dma_unmap.iova(struct, iova);
        vfio_iommu_type1_dma_unmap.size(struct, lengthBytes);
        unmap.call();
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
