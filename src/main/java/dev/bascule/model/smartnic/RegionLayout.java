package dev.bascule.model.smartnic;

import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;

/**
 * Offsets in the two files of a region, in bytes.
 *
 * <pre>
 * nic.mem   0      header, one page
 *           4096   DMA ranges (the IOMMU's table), one page
 *           8192   interrupt lines, NIC to host, 64 of 64 bytes
 *           12288  doorbell lines, host to NIC, 64 of 64 bytes
 *           16384  NIC memory, then its shadow where writes are delayed
 * host.mem  0      header, one page
 *           4096   host DMA memory, then its shadow where writes are delayed
 * </pre>
 */
final class RegionLayout {
    static final long PAGE = 4096;
    static final long RANGES = PAGE;
    static final long INTERRUPTS = 2 * PAGE;
    static final long DOORBELLS = 3 * PAGE;
    static final long NIC_DATA = 4 * PAGE;
    static final long HOST_DATA = PAGE;

    private RegionLayout() {}

    static long fileBytes(long dataOffset, long dataBytes, LinkProfile profile) {
        return dataOffset + dataBytes + LinkedMemory.shadowBytes(dataBytes, profile);
    }
}
