package dev.bascule.host.scx;

import dev.bascule.memory.PinnedMemory;
import java.lang.foreign.MemorySegment;

/**
 * Where the memory is that agents write, too: the region of a local transport, and a page behind it.
 *
 * @param address of the region's first byte, in every process that maps it
 * @param regionBytes whole pages
 */
record KernelPlaces(long address, long regionBytes) {
    long sizeBytes() {
        return regionBytes + Layout.PAGE_BYTES;
    }

    PinnedMemory memory(MemorySegment mapped) {
        return PinnedMemory.permanent(mapped);
    }

    PinnedMemory region(PinnedMemory memory) {
        return memory.slice(0, regionBytes);
    }

    PinnedMemory agents(PinnedMemory memory) {
        return memory.slice(regionBytes, Layout.PAGE_BYTES);
    }
}
