package dev.bascule.nic.corundum;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.PinnedMemory;
import java.lang.foreign.MemorySegment;

/** The memory of all rings of a port, which the device reaches; rings start on pages. */
final class RingMemory implements AutoCloseable {
    static final int PAGE_BYTES = 4096;

    private final AddressSpace space;
    private final DmaBuffer memory;
    private final MemorySegment segment;
    private final dev.bascule.device.Iova iova;
    private long used;
    private boolean closed;

    RingMemory(AddressSpace space, String name, long lengthBytes) {
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
    static long pages(long lengthBytes) {
        return (lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    MemorySegment segment() {
        return segment;
    }

    /** The same for code that works by address. */
    PinnedMemory pinned() {
        return memory.pinned();
    }

    /** Takes room for a ring; says where it starts. */
    long take(long lengthBytes) {
        long at = used;
        used += pages(lengthBytes);
        if (used > segment.byteSize()) {
            throw new IllegalStateException("ring memory of " + segment.byteSize() + " bytes is used up");
        }
        return at;
    }

    /** What the device calls a byte of it. */
    long iova(long offset) {
        return iova.value() + offset;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            space.unmap(iova);
            memory.close();
        }
    }
}
