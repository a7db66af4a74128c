package dev.bascule.vfio;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.IommuFault;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Limits;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.IovaAllocator;
import dev.bascule.memory.RangeMap;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * DMA mappings of the kernel's IOMMU. The kernel pins what is mapped, which counts against the limit of locked memory
 * of an ordinary user. Refused accesses appear only in the kernel's log, so reading it must be allowed
 * ({@code kernel.dmesg_restrict}, or root); otherwise {@link #faultCount} stays 0.
 */
final class VfioAddressSpace implements AddressSpace {
    /** Addresses below are not given out, so that a zeroed descriptor faults. */
    private static final long FIRST = 1 << 20;
    private static final long HUGE = 2 << 20;

    private final Iommu iommu;
    private final KernelFaults faults;
    /** With their memory, which so lives as long as the kernel has it pinned. */
    private final RangeMap<MemorySegment> mappings = new RangeMap<>();
    private final long pageBytes = Libc.pageSizeBytes();
    private IovaAllocator allocator;
    private IommuInfo info;
    private long mappedBytes;
    private boolean closed;

    VfioAddressSpace(Iommu iommu, KernelFaults faults) {
        this.iommu = iommu;
        this.faults = faults;
        this.info = iommu.info();
        this.allocator = allocatorFor(info);
    }

    /** Limits of the IOMMU, as they are with the devices attached now. */
    public synchronized IommuInfo info() {
        requireOpen();
        return iommu.info();
    }

    /** A device came in: the usable addresses may have become fewer. */
    synchronized void attached() {
        if (mappings.size() == 0) {
            info = iommu.info();
            allocator = allocatorFor(info);
        }
    }

    static IovaAllocator allocatorFor(IommuInfo info) {
        IovaAllocator made = new IovaAllocator();
        for (IommuInfo.Range range : info.ranges()) {
            long first = Long.compareUnsigned(range.first(), FIRST) < 0 ? FIRST : range.first();
            if (Long.compareUnsigned(first, range.last()) < 0) {
                made.allow(first, range.last());
            }
        }
        if (info.ranges().isEmpty()) {
            made.allow(FIRST, (1L << 39) - 1);
        }
        return made;
    }

    @Override
    public long pageBytes() {
        return info.smallestPageBytes();
    }

    @Override
    public DmaBuffer allocate(String name, long lengthBytes) {
        return iommu.allocate(name, lengthBytes);
    }

    @Override
    public synchronized Iova map(MappableMemory memory, DmaDirection direction) {
        requireOpen();
        MemorySegment segment = memory.segment();
        requirePages(0, segment);
        long alignment = segment.byteSize() >= HUGE ? HUGE : wholePage();
        long start;
        try {
            start = allocator.allocate(segment.byteSize(), alignment);
        } catch (IllegalStateException e) {
            throw new DeviceException("map for DMA", segment.byteSize() + " bytes", "no device addresses are left: "
                    + e.getMessage(), "unmap something, or use fewer, larger buffers", e);
        }
        try {
            return insert(start, segment, direction);
        } catch (RuntimeException e) {
            allocator.free(start);
            throw e;
        }
    }

    @Override
    public synchronized void mapAt(Iova iova, MappableMemory memory, DmaDirection direction) {
        requireOpen();
        MemorySegment segment = memory.segment();
        requirePages(iova.value(), segment);
        requireFree(iova.value(), segment.byteSize());
        insert(iova.value(), segment, direction);
        allocator.reserve(iova.value(), iova.value() + segment.byteSize() - 1);
    }

    private Iova insert(long start, MemorySegment segment, DmaDirection direction) {
        try {
            long at = iommu.map(segment, start, direction);
            if (at != start) { // no IOMMU: the address is the memory's own
                requireNotMapped(at, segment.byteSize());
            }
            mappings.add(at, at + segment.byteSize() - 1, segment);
            mappedBytes += segment.byteSize();
            return new Iova(at);
        } catch (NativeException e) {
            throw refused(start, segment.byteSize(), e);
        }
    }

    /** Page size that suits both the IOMMU and the kernel's locking of memory. */
    private long wholePage() {
        return Math.max(pageBytes(), pageBytes);
    }

    private void requirePages(long start, MemorySegment segment) {
        long page = wholePage();
        if (!segment.isNative() || segment.byteSize() == 0
                || ((start | segment.address() | segment.byteSize()) & page - 1) != 0) {
            throw new DeviceException("map for DMA", describe(start, segment.byteSize()) + " of memory at 0x"
                    + Long.toHexString(segment.address()), "not a non-empty range of whole pages",
                    "align address, length and memory to " + page + " bytes, as DmaBuffer does");
        }
    }

    private void requireFree(long start, long lengthBytes) {
        long last = start + lengthBytes - 1;
        requireNotMapped(start, lengthBytes);
        boolean usable = info.ranges().isEmpty() || info.ranges().stream()
                .anyMatch(range -> Long.compareUnsigned(start, range.first()) >= 0
                        && Long.compareUnsigned(last, range.last()) <= 0 && Long.compareUnsigned(start, last) <= 0);
        if (!usable) {
            throw new DeviceException("map for DMA", describe(start, lengthBytes),
                    "the IOMMU does not translate these addresses", "use one of " + info.ranges());
        }
    }

    private void requireNotMapped(long start, long lengthBytes) {
        long last = start + lengthBytes - 1;
        int inTheWay = Long.compareUnsigned(start, last) <= 0 ? mappings.overlapping(start, last) : -1;
        if (inTheWay >= 0) {
            throw new DeviceException("map for DMA", describe(start, lengthBytes), "it overlaps the mapping at "
                    + new Iova(mappings.first(inTheWay)) + " of " + mappings.lengthBytes(inTheWay) + " bytes",
                    "unmap that one first");
        }
    }

    private DeviceException refused(long start, long lengthBytes, NativeException e) {
        String object = describe(start, lengthBytes);
        if (e.errno() == Errno.ENOMEM) {
            long mapped = mappedBytes;
            return new DeviceException("map for DMA", object, "ENOMEM (12): it would lock "
                    + (mapped + lengthBytes) / 1024 + " KiB in all (" + mapped / 1024
                    + " KiB are mapped already), the limit of this process is "
                    + Limits.get(Limits.Resource.LOCKED_MEMORY).softText(), e.remedy(), e);
        }
        if (e.errno() == Errno.ENOSPC) {
            return new DeviceException("map for DMA", object, "ENOSPC (28): " + mappings.size()
                    + " mappings are as many as the kernel allows",
                    "use fewer, larger buffers, or raise"
                            + " /sys/module/vfio_iommu_type1/parameters/dma_entry_limit",
                    e);
        }
        return VfioErrors.of("map for DMA", object, e, "check direction and alignment of the memory");
    }

    @Override
    public synchronized void unmap(Iova iova) {
        requireOpen();
        int index = mappings.startingAt(iova.value());
        if (index < 0) {
            throw new DeviceException("unmap for DMA", iova.toString(), "no mapping starts there",
                    "unmap with the address that map gave");
        }
        long lengthBytes = mappings.lengthBytes(index);
        try {
            iommu.unmap(iova.value(), lengthBytes);
        } catch (NativeException e) {
            throw VfioErrors.of("unmap for DMA", iova.toString(), e);
        }
        mappings.remove(index);
        mappedBytes -= lengthBytes;
        allocator.tryFree(iova.value()); // one at an address of the caller's choice stays reserved
    }

    /** Removes all mappings; returns how many there were. */
    public synchronized int unmapAll() {
        requireOpen();
        int count = mappings.size();
        try {
            iommu.unmapAll();
        } catch (NativeException e) {
            throw VfioErrors.of("unmap everything", count + " mappings", e);
        }
        for (int i = 0; i < count; i++) {
            allocator.tryFree(mappings.first(i));
        }
        forget();
        return count;
    }

    /** Bytes mapped now: what the kernel has locked for this address space. */
    public synchronized long mappedBytes() {
        return mappedBytes;
    }

    private void forget() {
        mappings.clear();
        mappedBytes = 0;
    }

    private static String describe(long start, long lengthBytes) {
        return new Iova(start) + ", " + lengthBytes + " bytes";
    }

    @Override
    public long faultCount() {
        return faults.count();
    }

    @Override
    public List<IommuFault> recentFaults() {
        return faults.recent();
    }

    synchronized void close() {
        if (!closed) {
            closed = true;
            forget();
            faults.close();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the address space is closed");
        }
    }
}
