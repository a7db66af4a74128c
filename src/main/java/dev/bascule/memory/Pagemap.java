package dev.bascule.memory;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Physical addresses from {@code /proc/self/pagemap}, for devices without an IOMMU only (VFIO no-IOMMU mode): with an
 * IOMMU a device uses IOVAs, and needs no physical address. The kernel shows them to CAP_SYS_ADMIN
 * alone; to others frame numbers read as zero. A physical address holds only while the page is locked or huge.
 * Thread-safe.
 */
public final class Pagemap implements AutoCloseable {
    private static final long PRESENT = 1L << 63;
    private static final long FRAME_MASK = (1L << 55) - 1;

    private final Fd fd;
    private final int pageSizeBytes = Libc.pageSizeBytes();

    private Pagemap(Fd fd) {
        this.fd = fd;
    }

    /** The page map of this process. */
    public static Pagemap open() {
        return new Pagemap(Libc.open("/proc/self/pagemap", Linux.O_RDONLY));
    }

    /**
     * Physical address of a byte.
     *
     * @throws IllegalStateException if the page is not in memory (lock it first)
     * @throws UnsupportedOperationException if the kernel hides frame numbers; the message says what to do
     */
    public long physicalAddress(MemorySegment memory, long offset) {
        long address = memory.asSlice(offset, 1).address();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entry = arena.allocate(ValueLayout.JAVA_LONG);
            long bytes = fd.pread(entry, address / pageSizeBytes * Long.BYTES);
            if (bytes != Long.BYTES) {
                throw new IllegalStateException("no page map entry for 0x" + Long.toHexString(address));
            }
            return decode(entry.get(ValueLayout.JAVA_LONG, 0), address, pageSizeBytes);
        }
    }

    @Override
    public void close() {
        fd.close();
    }

    static long decode(long entry, long address, int pageSizeBytes) {
        if ((entry & PRESENT) == 0) {
            throw new IllegalStateException(
                    "the page at 0x" + Long.toHexString(address) + " is not in memory; lock it first");
        }
        long frame = entry & FRAME_MASK;
        if (frame == 0) {
            throw new UnsupportedOperationException("the kernel hides physical addresses from processes without"
                    + " CAP_SYS_ADMIN; use an IOMMU (kernel parameter intel_iommu=on or amd_iommu=on), or for a"
                    + " no-IOMMU set-up run as root: sudo scripts/bascule ...");
        }
        return frame * pageSizeBytes + address % pageSizeBytes;
    }
}
