package dev.bascule.vfio;

import dev.bascule.device.DmaDirection;
import dev.bascule.ffi.Fd;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.MemorySegment;

/**
 * One IO address space of the kernel and how devices get into it. Control path; devices are guarded by its context,
 * mappings by the {@link VfioAddressSpace} over it.
 */
interface Iommu extends AutoCloseable {
    /** Opens a device and puts it into this address space. The caller owns the descriptor. */
    Fd attach(PciAddress address);

    /** Limits; they may narrow with every device. */
    IommuInfo info();

    /** Memory that {@link #map} takes in one piece. */
    default DmaBuffer allocate(String name, long lengthBytes) {
        return DmaBuffer.allocate(name, lengthBytes, DmaBuffer.Locking.PREFERRED);
    }

    /** Maps; returns the address, which is {@code iova} except where there is no IOMMU. */
    long map(MemorySegment memory, long iova, DmaDirection direction);

    /** Takes a mapping away. */
    void unmap(long iova, long lengthBytes);

    /** Takes all mappings away. */
    void unmapAll();

    /** Descriptors that prove ownership of the groups, for a hot reset; empty where the kernel wants none. */
    java.util.List<Fd> groups();

    @Override
    void close();
}
