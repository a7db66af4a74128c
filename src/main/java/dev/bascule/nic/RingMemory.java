package dev.bascule.nic;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.PinnedMemory;
import java.lang.foreign.MemorySegment;

/**
 * Memory of rings that a device reaches, zeroed, in one piece; for drivers. Rings taken from it start on pages.
 * <p>
 * Thread rule: control path, one owner.
 */
public final class RingMemory implements AutoCloseable {
    /** Where rings start. */
    public static final int PAGE_BYTES = 4096;

    private final AddressSpace space;
    private final DmaBuffer memory;
    private final MemorySegment segment;
    private final Iova iova;
    private long used;
    private boolean closed;

    /**
     * Allocates and maps.
     *
     * @param name for messages and {@code /proc}
     * @throws dev.bascule.device.DeviceException if there is no such memory, or no room in the address space
     */
    public RingMemory(AddressSpace space, String name, long lengthBytes) {
        this.space = space;
        memory = space.allocate(name, lengthBytes);
        segment = memory.segment();
        try {
            iova = space.map(new MappableMemory(segment, memory.fileDescriptor(), 0), DmaDirection.BOTH);
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    /** Rounds up to whole pages. */
    public static long pages(long lengthBytes) {
        return (lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /** All of it. */
    public MemorySegment segment() {
        return segment;
    }

    /** All of it, for code that works by address. */
    public PinnedMemory pinned() {
        return memory.pinned();
    }

    /** Takes room for a ring; says where it starts. */
    public long take(long lengthBytes) {
        long at = used;
        used += pages(lengthBytes);
        if (used > segment.byteSize()) {
            throw new IllegalStateException("ring memory of " + segment.byteSize() + " bytes is used up");
        }
        return at;
    }

    /** Address at which the device finds the byte at {@code offset} of this memory. */
    public long iova(long offset) {
        return iova.value() + offset;
    }

    /** Unmaps and frees it. Twice is harmless. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            space.unmap(iova);
            memory.close();
        }
    }
}
