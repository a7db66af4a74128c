package dev.bascule.memory;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Limits;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.RawMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Memory a device reads and writes: on 1 GiB or 2 MiB hugepages where some are free, else on locked ordinary pages,
 * which the log and {@link #reason} then say. It is zeroed, faulted in, not inherited by child processes, and backed by
 * a file whose descriptor can be given to a device process.
 * <p>
 * Any thread may use the segment. Closing is for the owner, after the device has lost access; a use after it is an
 * {@link IllegalStateException}.
 */
public final class DmaBuffer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DmaBuffer.class.getName());
    private static final long SMALLEST_FOR_HUGE = 1 << 20;

    /** Whether memory that is not locked is acceptable. */
    public enum Locking {
        /** It is not: the device needs pages that stay. A refused lock is a {@link NativeException}. */
        REQUIRED,
        /** It is: the device is software, or the IOMMU driver pins the pages itself. */
        PREFERRED
    }

    private static volatile boolean announced;
    private static final Cleaner CLEANER = Cleaner.create();

    private final Fd fd;
    /** Life of the pages. */
    private final Arena mapping;
    /** Life of the segment that is handed out. */
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private final long pageSizeBytes;
    private final boolean locked;
    private final String reason;
    private OptionalLong iova = OptionalLong.empty();
    private @Nullable PinnedMemory pinned;

    private DmaBuffer(Fd fd, Arena mapping, MemorySegment mapped, long pageSizeBytes, boolean locked, String reason) {
        this.fd = fd;
        this.mapping = mapping;
        this.segment = RawMemory.view(mapped, arena);
        this.pageSizeBytes = pageSizeBytes;
        this.locked = locked;
        this.reason = reason;
    }

    /**
     * Allocates at least {@code lengthBytes} (rounded up to whole pages) on the largest pages that are free and not
     * larger than what is asked for.
     */
    public static DmaBuffer allocate(String name, long lengthBytes, Locking locking) {
        requireLength(name, lengthBytes);
        List<String> refused = new ArrayList<>();
        for (long page : new long[] { Hugepages.SIZE_1G, Hugepages.SIZE_2M }) {
            if (lengthBytes < (page == Hugepages.SIZE_2M ? SMALLEST_FOR_HUGE : page)) {
                continue;
            }
            try {
                return onHugepages(name, lengthBytes, page, String.join("; ", refused));
            } catch (NativeException e) {
                refused.add(e.getMessage());
            }
        }
        String why = refused.isEmpty() ? "too small for hugepages" : String.join("; ", refused);
        DmaBuffer buffer = onSmallPages(name, lengthBytes, locking, why);
        if (!refused.isEmpty() && !announced) { // what is true of the first is true of the others
            announced = true;
            LOG.log(System.Logger.Level.INFO, "DMA buffer {0} is on {1}-byte pages: {2}", name, buffer.pageSizeBytes,
                    buffer.reason);
        }
        return buffer;
    }

    /** Allocates on hugepages of one size or fails with the command that reserves them. */
    public static DmaBuffer allocateHuge(String name, long lengthBytes, long pageSizeBytes) {
        requireLength(name, lengthBytes);
        if (pageSizeBytes != Hugepages.SIZE_1G && pageSizeBytes != Hugepages.SIZE_2M) {
            throw new IllegalArgumentException("hugepages of " + pageSizeBytes + " bytes");
        }
        return onHugepages(name, lengthBytes, pageSizeBytes, "");
    }

    /** The memory; an {@link IllegalStateException} after close. */
    public MemorySegment segment() {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException(fd.name() + " is closed");
        }
        return segment;
    }

    /**
     * The memory for code that works by address: its pages then stay mapped until that code is unreachable, also after
     * {@link #close}.
     */
    public synchronized PinnedMemory pinned() {
        MemorySegment whole = segment();
        PinnedMemory known = pinned;
        if (known == null) {
            Mapping user = new Mapping();
            CLEANER.register(user, mapping::close);
            known = new PinnedMemory(whole, user);
            pinned = known;
        }
        return known;
    }

    /** Size in bytes: whole pages. */
    public long sizeBytes() {
        return segment.byteSize();
    }

    /** Size of the pages underneath: the granularity of IOMMU mappings and physical contiguity. */
    public long pageSizeBytes() {
        return pageSizeBytes;
    }

    /** Whether the pages are locked in memory. */
    public boolean isLocked() {
        return locked;
    }

    /** Why it has these pages: what was refused and the command that helps; empty if it got the best. */
    public String reason() {
        return reason;
    }

    /** Descriptor of the file underneath, to give to a device process. Owned by this object. */
    public int fileDescriptor() {
        return fd.number();
    }

    /** Address under which the device sees the start; empty while it is not mapped. */
    public synchronized OptionalLong iova() {
        return iova;
    }

    /** For address spaces: records a mapping; a second one without {@link #clearIova} is an exception. */
    public synchronized void assignIova(long address) {
        segment();
        if (iova.isPresent()) {
            throw new IllegalStateException(
                    fd.name() + " is mapped at iova 0x" + Long.toHexString(iova.getAsLong()) + " already");
        }
        iova = OptionalLong.of(address);
    }

    /** For address spaces: records that the device has lost access. */
    public synchronized void clearIova() {
        iova = OptionalLong.empty();
    }

    /** Frees; idempotent. An {@link IllegalStateException} while a device still has it mapped. */
    @Override
    public synchronized void close() {
        if (!arena.scope().isAlive()) {
            return;
        }
        if (iova.isPresent()) {
            throw new IllegalStateException(fd.name() + " is still mapped for a device at iova 0x"
                    + Long.toHexString(iova.getAsLong()) + "; unmap it first");
        }
        arena.close();
        if (pinned == null) {
            mapping.close();
        } else {
            pinned.ownerClosed();
            pinned = null;
        }
        fd.close();
    }

    private static DmaBuffer onHugepages(String name, long lengthBytes, long page, String reason) {
        Fd fd = Hugepages.file(name, page);
        Arena arena = Arena.ofShared();
        try {
            String object = Hugepages.describe(page, lengthBytes);
            MemorySegment segment = map(arena, fd, roundUp(lengthBytes, page), "mmap MAP_HUGETLB", object);
            populate(segment, "mmap MAP_HUGETLB", object);
            return new DmaBuffer(fd, arena, segment, page, true, reason); // hugepages are never swapped
        } catch (RuntimeException e) {
            arena.close();
            fd.close();
            throw e;
        }
    }

    private static DmaBuffer onSmallPages(String name, long lengthBytes, Locking locking, String why) {
        int page = Libc.pageSizeBytes();
        Fd fd = Libc.memfd(name, 0);
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = map(arena, fd, roundUp(lengthBytes, page), "mmap", name);
            populate(segment, "madvise MADV_POPULATE_WRITE", name);
            String reason = why;
            boolean locked = true;
            try {
                Libc.lock(segment);
            } catch (NativeException e) {
                NativeException refused = lockRefused(name, segment.byteSize(), e);
                if (locking == Locking.REQUIRED) {
                    throw refused;
                }
                locked = false;
                reason = why + "; not locked: " + refused.getMessage();
            }
            return new DmaBuffer(fd, arena, segment, page, locked, reason);
        } catch (RuntimeException e) {
            arena.close();
            fd.close();
            throw e;
        }
    }

    private static NativeException lockRefused(String name, long lengthBytes, NativeException e) {
        return new NativeException("mlock", lengthBytes / 1024 + " KiB of " + name + " with a limit of "
                + Limits.get(Limits.Resource.LOCKED_MEMORY).softText(), e.errno(), e.remedy());
    }

    private static MemorySegment map(Arena arena, Fd fd, long lengthBytes, String step, String object) {
        fd.truncate(lengthBytes);
        try {
            MemorySegment segment = Libc.map(arena, lengthBytes, Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED,
                    fd, 0, object);
            Libc.advise(segment, Linux.MADV_DONTFORK);
            return segment;
        } catch (NativeException e) {
            throw new NativeException(step, object, e.errno());
        }
    }

    /** Faults every page in now, so that a lack of memory is an error here and not a SIGBUS later. */
    private static void populate(MemorySegment segment, String step, String object) {
        try {
            Libc.advise(segment, Linux.MADV_POPULATE_WRITE);
        } catch (NativeException e) {
            if (e.errno() == Errno.EINVAL) { // before Linux 5.14: touch them
                segment.fill((byte) 0);
                return;
            }
            throw new NativeException(step, object, e.errno() == Errno.EFAULT ? Errno.ENOMEM : e.errno());
        }
    }

    private static void requireLength(String name, long lengthBytes) {
        if (lengthBytes <= 0 || lengthBytes > 1L << 45) {
            throw new IllegalArgumentException("DMA buffer " + name + " of " + lengthBytes + " bytes");
        }
    }

    private static long roundUp(long lengthBytes, long page) {
        return (lengthBytes + page - 1) & -page;
    }
}
