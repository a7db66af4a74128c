package dev.bascule.loopback;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.DmaStore;
import dev.bascule.device.IommuFault;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;

/**
 * The IOMMU of loopback devices: page-granular mappings from IOVA to memory of this process, shared by as many devices
 * as are opened with it. Addresses below 2^63. Transfers allocate nothing unless they fault.
 */
public final class LoopbackAddressSpace implements AddressSpace {
    private static final long PAGE_BYTES = 4096;
    private static final long FIRST_IOVA = 1L << 32; // so that a driver which cuts addresses to 32 bits faults
    private static final int RECENT = 64;

    private record Mapping(long start, long end, MemorySegment memory, DmaDirection direction) {}

    private final StampedLock lock = new StampedLock();
    private final TreeMap<Long, Mapping> mappings = new TreeMap<>();
    private final AtomicLong faults = new AtomicLong();
    private final Deque<IommuFault> recent = new ArrayDeque<>();
    private Mapping[] sorted = {};

    @Override
    public long pageBytes() {
        return PAGE_BYTES;
    }

    @Override
    public Iova map(MappableMemory memory, DmaDirection direction) {
        long stamp = lock.writeLock();
        try {
            long start = FIRST_IOVA;
            for (Mapping mapping : sorted) {
                if (mapping.start - start >= memory.segment().byteSize()) {
                    break;
                }
                start = Math.max(start, mapping.end);
            }
            insert(start, memory.segment(), direction);
            return new Iova(start);
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    @Override
    public void mapAt(Iova iova, MappableMemory memory, DmaDirection direction) {
        long stamp = lock.writeLock();
        try {
            insert(iova.value(), memory.segment(), direction);
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private void insert(long start, MemorySegment memory, DmaDirection direction) {
        long bytes = memory.byteSize();
        String range = new Iova(start) + ", " + bytes + " bytes";
        long misaligned = (start | bytes) & PAGE_BYTES - 1;
        if (start < 0 || bytes == 0 || start + bytes < 0 || misaligned != 0) {
            throw new DeviceException("map for DMA", range, "not a non-empty range of whole pages",
                    "align address and length to " + PAGE_BYTES + " bytes");
        }
        Map.Entry<Long, Mapping> before = mappings.lowerEntry(start + bytes);
        if (before != null && before.getValue().end > start) {
            throw new DeviceException("map for DMA", range, "it overlaps the mapping at " + new Iova(before.getKey()),
                    "unmap that one first");
        }
        mappings.put(start, new Mapping(start, start + bytes, memory, direction));
        sorted = mappings.values().toArray(Mapping[]::new);
    }

    @Override
    public void unmap(Iova iova) {
        long stamp = lock.writeLock(); // waits for transfers under way
        try {
            if (mappings.remove(iova.value()) == null) {
                throw new DeviceException("unmap for DMA", iova.toString(), "no mapping starts there",
                        "unmap with the address that map gave");
            }
            sorted = mappings.values().toArray(Mapping[]::new);
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    @Override
    public long faultCount() {
        return faults.get();
    }

    @Override
    public List<IommuFault> recentFaults() {
        synchronized (recent) {
            return new ArrayList<>(recent);
        }
    }

    /** A device reads; false and nothing transferred on a fault. */
    boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
        return transfer(iova, to, toOffset, lengthBytes, false);
    }

    /** A device writes; false and nothing transferred on a fault. */
    boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
        return transfer(iova, from, fromOffset, lengthBytes, true);
    }

    private boolean transfer(long iova, MemorySegment local, long localOffset, long lengthBytes, boolean write) {
        long stamp = lock.readLock();
        try {
            String refusal = refusal(iova, lengthBytes, write);
            if (refusal != null) {
                fault(iova, lengthBytes, write, refusal);
                return false;
            }
            long at = iova;
            long rest = lengthBytes;
            for (int i = find(iova); rest > 0; i++) {
                Mapping mapping = sorted[i];
                long part = Math.min(rest, mapping.end - at);
                long offset = at - mapping.start;
                if (write) {
                    DmaStore.copy(local, localOffset, mapping.memory, offset, part);
                } else {
                    MemorySegment.copy(mapping.memory, offset, local, localOffset, part);
                }
                at += part;
                localOffset += part;
                rest -= part;
            }
            return true;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Why the whole range cannot be reached, or null if it can. */
    private @org.jspecify.annotations.Nullable String refusal(long iova, long lengthBytes, boolean write) {
        if (iova < 0 || lengthBytes < 0 || iova + lengthBytes < 0) {
            return "the range leaves the address space";
        }
        long at = iova;
        long end = iova + lengthBytes;
        for (int i = find(iova); at < end; i++) {
            if (i < 0 || i >= sorted.length || sorted[i].start > at) {
                return "not mapped from " + new Iova(at);
            }
            if (!sorted[i].direction.allows(write)) {
                return "the mapping does not allow it";
            }
            if (!sorted[i].memory.scope().isAlive()) {
                return "the mapped memory was closed";
            }
            at = sorted[i].end;
        }
        return null;
    }

    /** Index of the mapping that holds the address, -1 if none does. */
    private int find(long iova) {
        int low = 0;
        int high = sorted.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            if (iova < sorted[middle].start) {
                high = middle - 1;
            } else if (iova >= sorted[middle].end) {
                low = middle + 1;
            } else {
                return middle;
            }
        }
        return -1;
    }

    void fault(long iova, long lengthBytes, boolean write, String reason) {
        faults.incrementAndGet();
        synchronized (recent) {
            if (recent.size() == RECENT) {
                recent.removeFirst();
            }
            recent.addLast(new IommuFault(new Iova(iova), lengthBytes, write, reason));
        }
    }
}
