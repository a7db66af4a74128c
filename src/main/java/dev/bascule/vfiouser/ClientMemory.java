package dev.bascule.vfiouser;

import dev.bascule.device.DmaAccess;
import dev.bascule.device.DmaStore;
import dev.bascule.device.IommuFault;
import dev.bascule.device.Iova;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.memory.SharedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory a client has mapped for DMA: with a descriptor it is mapped here and reached directly, without one by
 * messages. An access is translated anew each time and split where mappings meet. An unmapping waits for accesses under
 * way. Nothing is allocated by an access unless it faults or goes by message.
 * <p>
 * Thread rule: any thread.
 */
final class ClientMemory implements DmaAccess {
    private static final int RECENT = 16;
    private static final long SWEEP_BYTES = 1 << 20;

    /** The way to memory that has no descriptor: DMA_READ and DMA_WRITE. */
    interface Messages {
        boolean transfer(long iova, MemorySegment local, long localOffset, long lengthBytes, boolean write);
    }

    private final StampedLock lock = new StampedLock();
    private final AddressTree mappings = new AddressTree();
    private final ClientFiles files = new ClientFiles();
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private final BooleanSupplier busMaster;
    private final BooleanSupplier sendsAtomics;
    private final Runnable cut;
    private final Deque<IommuFault> recent = new ArrayDeque<>();
    private long faults;
    private volatile @Nullable Messages messages;

    /**
     * @param busMaster whether the device may reach memory at all
     * @param cut called, on the accessing thread and under no lock, when the client's memory has been truncated
     */
    ClientMemory(BooleanSupplier busMaster, Runnable cut) {
        this(busMaster, () -> false, cut);
    }

    /** @param sendsAtomics whether the device may send AtomicOps */
    ClientMemory(BooleanSupplier busMaster, BooleanSupplier sendsAtomics, Runnable cut) {
        this.busMaster = busMaster;
        this.sendsAtomics = sendsAtomics;
        this.cut = cut;
    }

    /** A client is there; null: none. */
    void connect(@Nullable Messages way) {
        messages = way;
    }

    /** A client lets the device reach a range. The descriptor stays the caller's. */
    void map(long first, long lengthBytes, int flags, @Nullable Fd file, long fileOffset) throws Refusal {
        long last = last(first, lengthBytes);
        if ((flags & ~(Protocol.DMA_READABLE | Protocol.DMA_WRITABLE)) != 0 || flags == 0) {
            throw Refusal.invalid("mapping flags 0x" + Integer.toHexString(flags));
        }
        if (((first | lengthBytes) & Protocol.PAGE_BYTES - 1) != 0) {
            throw Refusal.invalid("a mapping that is not whole pages");
        }
        long stamp = lock.writeLock();
        try {
            ClientMapping below = mappings.floor(last);
            if (below != null && Long.compareUnsigned(below.last(), first) >= 0) {
                throw new Refusal(Errno.EEXIST, "a mapping over an existing one");
            }
            if (mappings.size() >= Offer.OURS.maxDmaMaps()) {
                throw new Refusal(Errno.ENOSPC, "more mappings than agreed");
            }
            mappings.add(file == null
                    ? new ClientMapping(first, last, flags, null, null)
                    : ofFile(first, last, flags, file, fileOffset));
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private ClientMapping ofFile(long first, long last, int flags, Fd file, long fileOffset) throws Refusal {
        long bytes = last - first + 1;
        ClientFiles.Part part = files.use(file, fileOffset, bytes, (flags & Protocol.DMA_WRITABLE) != 0);
        return new ClientMapping(first, last, flags, part, part.slice(fileOffset, bytes));
    }

    /**
     * Takes away every mapping in a range; one that reaches out of it is refused and all stay. A range without any is
     * refused only when it is small: behind a virtual IOMMU QEMU unmaps the whole address space without knowing what is
     * mapped, as the kernel's VFIO allows, in pieces of 1 MiB and more (that of the interrupt range is the smallest).
     */
    void unmap(long first, long lengthBytes) throws Refusal {
        long last = last(first, lengthBytes);
        long stamp = lock.writeLock(); // waits for accesses under way
        try {
            ClientMapping lowest = mappings.floor(first);
            ClientMapping highest = mappings.floor(last);
            if (lowest != null && lowest.first() != first && lowest.has(first)
                    || highest != null && highest.last() != last && highest.has(last)) {
                throw Refusal.invalid("an unmapping of a part of a mapping");
            }
            ClientMapping gone = mappings.ceiling(first);
            if ((gone == null || Long.compareUnsigned(gone.first(), last) > 0)
                    && Long.compareUnsigned(lengthBytes, SWEEP_BYTES) < 0) {
                throw new Refusal(Errno.ENOENT, "an unmapping where nothing is mapped");
            }
            while (gone != null && Long.compareUnsigned(gone.first(), last) <= 0) {
                remove(gone);
                gone = mappings.ceiling(first);
            }
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Takes all mappings away. */
    void unmapAll() {
        long stamp = lock.writeLock();
        try {
            for (ClientMapping gone = mappings.ceiling(0); gone != null; gone = mappings.ceiling(0)) {
                remove(gone);
            }
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private void remove(ClientMapping gone) {
        mappings.remove(gone);
        if (gone.part() != null) {
            files.release(gone.part());
        }
    }

    private static long last(long first, long lengthBytes) throws Refusal {
        long last = first + lengthBytes - 1;
        if (lengthBytes == 0 || Long.compareUnsigned(last, first) < 0) {
            throw Refusal.invalid("an empty range, or one that leaves the address space");
        }
        return last;
    }

    int mappingCount() {
        return mappings.size();
    }

    @Override
    public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
        VarHandle.acquireFence();
        boolean done = transfer(iova, to, toOffset, lengthBytes, false);
        VarHandle.acquireFence(); // partner: the driver's release store of what tells the device to read
        return done;
    }

    @Override
    public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
        VarHandle.releaseFence(); // partner: the driver's acquire load of a completion written later
        return transfer(iova, from, fromOffset, lengthBytes, true);
    }

    /** By the locked instruction of the CPU on memory that client and server map: against the client's, it is atomic. */
    @Override
    public boolean compareAndSwap(long iova, long[] word) {
        String refusal;
        boolean gone = false;
        long stamp = lock.readLock();
        try {
            refusal = atomicRefusal(iova);
            if (refusal == null) {
                ClientMapping mapping = java.util.Objects.requireNonNull(mappings.floor(iova));
                MemorySegment memory = java.util.Objects.requireNonNull(mapping.memory());
                word[0] = (long) WORD.compareAndExchange(memory, iova - mapping.first(), word[0], word[1]);
            }
            SharedMemory.faultNow();
        } catch (InternalError e) {
            if (!SharedMemory.isTruncation(e)) {
                throw e;
            }
            refusal = "bus error: the client cut the file behind its mapping";
            gone = true;
        } finally {
            lock.unlockRead(stamp);
        }
        if (refusal != null) {
            fault(iova, Long.BYTES, true, refusal);
        }
        if (gone) {
            cut.run();
        }
        return refusal == null;
    }

    private @Nullable String atomicRefusal(long iova) {
        if (!busMaster.getAsBoolean()) {
            return "bus mastering is off";
        }
        if (!sendsAtomics.getAsBoolean()) {
            return "AtomicOp: the function's requester enable is off";
        }
        if ((iova & Long.BYTES - 1) != 0) {
            return "AtomicOp: the address is no multiple of 8";
        }
        String refusal = refusal(iova, Long.BYTES, true);
        if (refusal == null) {
            refusal = refusal(iova, Long.BYTES, false);
        }
        if (refusal != null) {
            return refusal;
        }
        ClientMapping mapping = mappings.floor(iova);
        return mapping == null || mapping.memory() == null
                ? "AtomicOp: the client gave no descriptor of that memory, and messages have no AtomicOps"
                : null;
    }

    private boolean transfer(long iova, MemorySegment local, long localOffset, long lengthBytes, boolean write) {
        if (lengthBytes <= 0) {
            return lengthBytes == 0;
        }
        String refusal;
        boolean gone = false;
        long stamp = lock.readLock();
        try {
            refusal = busMaster.getAsBoolean() ? refusal(iova, lengthBytes, write) : "bus mastering is off";
            if (refusal == null && !copy(iova, local, localOffset, lengthBytes, write)) {
                refusal = "the client does not answer";
            }
            SharedMemory.faultNow();
        } catch (InternalError e) {
            if (!SharedMemory.isTruncation(e)) {
                throw e;
            }
            refusal = "bus error: the client cut the file behind its mapping";
            gone = true;
        } finally {
            lock.unlockRead(stamp);
        }
        if (refusal != null) {
            fault(iova, lengthBytes, write, refusal);
        }
        if (gone) {
            cut.run();
        }
        return refusal == null;
    }

    private boolean copy(long iova, MemorySegment local, long localOffset, long lengthBytes, boolean write) {
        long at = iova;
        long done = 0;
        while (done < lengthBytes) {
            ClientMapping mapping = java.util.Objects.requireNonNull(mappings.floor(at));
            long toEnd = mapping.last() - at + 1;
            long part = toEnd < 0 ? lengthBytes - done : Math.min(lengthBytes - done, toEnd);
            if (!copyPart(mapping, at, local, localOffset + done, part, write)) {
                return false;
            }
            at += part;
            done += part;
        }
        return true;
    }

    private boolean copyPart(ClientMapping mapping, long at, MemorySegment local, long localOffset, long part,
            boolean write) {
        MemorySegment memory = mapping.memory();
        if (memory == null) {
            Messages way = messages;
            return way != null && way.transfer(at, local, localOffset, part, write);
        }
        if (write) {
            DmaStore.copy(local, localOffset, memory, at - mapping.first(), part);
        } else {
            MemorySegment.copy(memory, at - mapping.first(), local, localOffset, part);
        }
        return true;
    }

    /** Why the whole range cannot be reached, or null if it can. */
    private @Nullable String refusal(long iova, long lengthBytes, boolean write) {
        long last = iova + lengthBytes - 1;
        if (Long.compareUnsigned(last, iova) < 0) {
            return "the range leaves the address space";
        }
        int needed = write ? Protocol.DMA_WRITABLE : Protocol.DMA_READABLE;
        long at = iova;
        while (true) {
            ClientMapping mapping = mappings.floor(at);
            if (mapping == null || !mapping.has(at)) {
                return "not mapped from " + new Iova(at);
            }
            if ((mapping.flags() & needed) == 0) {
                return "the mapping does not allow it";
            }
            if (Long.compareUnsigned(mapping.last(), last) >= 0) {
                return null;
            }
            at = mapping.last() + 1;
        }
    }

    private void fault(long iova, long lengthBytes, boolean write, String reason) {
        synchronized (recent) {
            faults++;
            if (recent.size() == RECENT) {
                recent.removeFirst();
            }
            recent.addLast(new IommuFault(new Iova(iova), lengthBytes, write, reason));
        }
    }

    long faultCount() {
        synchronized (recent) {
            return faults;
        }
    }

    List<IommuFault> recentFaults() {
        synchronized (recent) {
            return List.copyOf(recent);
        }
    }
}
