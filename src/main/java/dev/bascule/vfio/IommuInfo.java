package dev.bascule.vfio;

import java.util.List;

/**
 * Capabilities of an IOMMU for one address space.
 *
 * @param name the kernel's interface: {@code type-1}, {@code iommufd}, {@code no-IOMMU}
 * @param pageSizes bit n set: pages of 2^n bytes
 * @param ranges addresses that may be used, ascending; empty when the kernel does not say
 * @param mappingsLeft mappings the kernel still allows, -1 when it does not say
 * @param dirtyTracking whether it can report which pages a device wrote
 */
public record IommuInfo(String name, long pageSizes, List<Range> ranges, long mappingsLeft, boolean dirtyTracking) {
    /** First and last usable address, unsigned. */
    public record Range(long first, long last) {
        @Override
        public String toString() {
            return "0x" + Long.toHexString(first) + "-0x" + Long.toHexString(last);
        }
    }

    /** Copies the list. */
    public IommuInfo {
        ranges = List.copyOf(ranges);
    }

    /** Size of the smallest page. */
    long smallestPageBytes() {
        return pageSizes == 0 ? 4096 : Long.lowestOneBit(pageSizes);
    }
}
