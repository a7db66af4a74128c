package dev.bascule.device;

import dev.bascule.memory.DmaBuffer;
import java.util.List;

/**
 * An IOMMU context: which host memory devices may reach, and under which addresses.
 * <p>
 * Thread rule: thread-safe, control path. Errors: {@link DeviceException} with the step, the range and the remedy.
 */
public interface AddressSpace {
    /** Granularity of mappings in bytes: start and length of what is mapped are multiples of it. */
    long pageBytes();

    /**
     * Memory that can be mapped here in one piece, zeroed: on hugepages where that helps, and where there is no IOMMU on one
     * hugepage. Not mapped yet; closing it is the caller's.
     *
     * @throws DeviceException if there is none, before anything was used
     */
    default DmaBuffer allocate(String name, long lengthBytes) {
        return DmaBuffer.allocate(name, lengthBytes, DmaBuffer.Locking.PREFERRED);
    }

    /** Maps memory at an address of the address space's choice. The caller keeps the memory alive until unmapped. */
    Iova map(MappableMemory memory, DmaDirection direction);

    /** Maps memory at a given address; an overlap with another mapping is an error. */
    void mapAt(Iova iova, MappableMemory memory, DmaDirection direction);

    /** Removes the mapping that starts at {@code iova}; when this returns no device reaches the memory. */
    void unmap(Iova iova);

    /** Refused accesses so far; 0 where the kernel does not report them. */
    long faultCount();

    /** The most recent refused accesses, oldest first. */
    List<IommuFault> recentFaults();
}
