package dev.bascule.device;

import java.lang.foreign.MemorySegment;

/**
 * Memory that can be given to the other side of a device: what is behind a mappable BAR of a model, or what a driver
 * maps for DMA. With a file descriptor a backing or a server in another process can map the very same pages; without
 * one it copies by message.
 *
 * @param segment the memory
 * @param fileDescriptor a descriptor another process can map, or {@link #NO_FILE}; it stays the owner's
 * @param fileOffset where the segment starts in that file
 */
public record MappableMemory(MemorySegment segment, int fileDescriptor, long fileOffset) {
    /** No descriptor. */
    public static final int NO_FILE = -1;

    /** Memory that only this process sees. */
    public static MappableMemory local(MemorySegment segment) {
        return new MappableMemory(segment, NO_FILE, 0);
    }
}
