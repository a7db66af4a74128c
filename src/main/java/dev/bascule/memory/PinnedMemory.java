package dev.bascule.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native memory that stays mapped while an object made from it is reachable, even after its owner has closed it. {@link
 * #segment} is then an exception, while code that works by {@link #address} still finds memory there until its next
 * {@link #requireOpen}; so a ring end can do without the checks of a segment.
 * <p>
 * Thread rule: any thread.
 */
public final class PinnedMemory {
    private final MemorySegment segment;
    private final Mapping mapping;

    /**
     * @param segment the bytes, with the life of their owner
     * @param mapping keeps them mapped while it is reachable, unless {@code segment} does
     */
    PinnedMemory(MemorySegment segment, Mapping mapping) {
        this.segment = segment;
        this.mapping = mapping;
    }

    /** New zeroed memory of this process, on a page boundary, freed when it is unreachable. */
    public static PinnedMemory allocate(long sizeBytes) {
        MemorySegment segment = Arena.ofAuto().allocate(sizeBytes, 4096);
        return new PinnedMemory(segment, new Mapping());
    }

    /** Memory of another owner that is mapped to the end of the process. */
    public static PinnedMemory permanent(MemorySegment segment) {
        return new PinnedMemory(segment, new Mapping());
    }

    /** The part from {@code offset} on; the same conditions as {@link MemorySegment#asSlice(long, long)}. */
    public PinnedMemory slice(long offset, long lengthBytes) {
        return new PinnedMemory(segment.asSlice(offset, lengthBytes), mapping);
    }

    /** The bytes as a segment; its accesses are {@link IllegalStateException}s once the owner has closed. */
    public MemorySegment segment() {
        return segment;
    }

    /** Address of the first byte. Use it only while this object is reachable. */
    public long address() {
        return segment.address();
    }

    /** Length in bytes. */
    public long sizeBytes() {
        return segment.byteSize();
    }

    /** From now on {@link #requireOpen} of all parts is an exception. */
    void ownerClosed() {
        mapping.closed = true;
    }

    /**
     * For code that works by address: costs a load.
     *
     * @throws IllegalStateException if the owner has closed the memory
     */
    public void requireOpen() {
        if (mapping.closed) {
            throw new IllegalStateException("the memory was closed while in use: " + segment);
        }
    }
}
