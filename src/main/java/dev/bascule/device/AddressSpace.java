package dev.bascule.device;

import java.util.List;

/**
 * An IOMMU context: which host memory devices may reach, and under which addresses.
 * <p>
 * Thread rule: thread-safe, control path. Errors: {@link DeviceException} with the step, the range and the remedy.
 */
public interface AddressSpace {
    /** Granularity of mappings in bytes: start and length of what is mapped are multiples of it. */
    long pageBytes();

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
