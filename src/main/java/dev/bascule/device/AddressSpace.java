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

    /** Takes away the mapping that starts at {@code iova}; when this returns no device reaches the memory any more. */
    void unmap(Iova iova);

    /** Refused accesses so far; backings whose kernel does not tell report 0. */
    long faultCount();

    /** The most recent refused accesses, oldest first. */
    List<IommuFault> recentFaults();
}
