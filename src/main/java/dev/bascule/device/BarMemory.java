package dev.bascule.device;

import java.lang.foreign.MemorySegment;

/**
 * The plain memory behind a mappable BAR of a model.
 *
 * @param segment the memory, as long as the BAR
 * @param fileDescriptor a descriptor another process can map, or -1; it stays the model's
 * @param fileOffset where the segment starts in that file
 */
public record BarMemory(MemorySegment segment, int fileDescriptor, long fileOffset) {
    /** Memory that only this process sees. */
    public static BarMemory local(MemorySegment segment) {
        return new BarMemory(segment, -1, 0);
    }
}
