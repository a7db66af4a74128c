package dev.bascule.vfiouser;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.FileStatus;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A range of device addresses that a client has mapped. Addresses are unsigned.
 *
 * @param first first address
 * @param last last address, which belongs to it
 * @param flags {@code DMA_READABLE}, {@code DMA_WRITABLE}
 * @param arena keeps the memory mapped here; null without a file
 * @param memory the memory, {@code last - first + 1} bytes; null when it is reached by message
 */
record ClientMapping(long first, long last, int flags, @Nullable Arena arena, @Nullable MemorySegment memory) {

    /** Maps a range of the client's file. Ranges that reach beyond its end are refused, as touching them is fatal. */
    static ClientMapping ofFile(long first, long last, int flags, Fd file, long fileOffset) throws Refusal {
        long bytes = last - first + 1;
        long slack = fileOffset & Protocol.PAGE_BYTES - 1;
        if (bytes <= 0 || fileOffset < 0 || fileOffset + bytes < 0) {
            throw Refusal.invalid("a file range that cannot be");
        }
        Arena arena = Arena.ofShared();
        try {
            FileStatus status = file.status();
            if (status.isRegular() && fileOffset + bytes > status.sizeBytes()) {
                throw Refusal.invalid("a mapping beyond the end of its file");
            }
            int protection = (flags & Protocol.DMA_WRITABLE) != 0
                    ? Linux.PROT_READ | Linux.PROT_WRITE
                    : Linux.PROT_READ;
            MemorySegment whole = Libc.map(arena, bytes + slack, protection, Linux.MAP_SHARED, file,
                    fileOffset - slack, "client memory");
            return new ClientMapping(first, last, flags, arena, whole.asSlice(slack, bytes));
        } catch (NativeException e) {
            arena.close();
            throw new Refusal(e.errno(), String.valueOf(e.getMessage()));
        } catch (Refusal | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    void close() {
        if (arena != null) {
            arena.close();
        }
    }
}
