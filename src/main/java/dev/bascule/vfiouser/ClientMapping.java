package dev.bascule.vfiouser;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A range of device addresses that a client has mapped. Addresses are unsigned.
 *
 * @param first first address
 * @param last last address, which belongs to it
 * @param flags {@code DMA_READABLE}, {@code DMA_WRITABLE}
 * @param part keeps the memory mapped here; null without a file
 * @param memory the memory, {@code last - first + 1} bytes; null when it is reached by message
 */
record ClientMapping(long first, long last, int flags, ClientFiles.@Nullable Part part,
        @Nullable MemorySegment memory) {

    boolean has(long address) {
        return Long.compareUnsigned(first, address) <= 0 && Long.compareUnsigned(last, address) >= 0;
    }
}
