package dev.bascule.vfiouser;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.FileStatus;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The files of a client, each mapped once and whole, however many ranges of it are mapped for DMA: the kernel counts
 * mappings. One that cannot be mapped whole, as it is larger than any memory, is mapped range by range.
 * <p>
 * Not thread-safe: its owner guards it.
 */
final class ClientFiles {
    private static final long FUSE_MAGIC = 0x65735546;

    private record Key(long device, long inode, boolean writable) {}

    /** A file, or a range of one, in the memory of this process. */
    static final class Part {
        private final Key key;
        private final Arena arena;
        private final MemorySegment memory;
        private final long fileOffset;
        private int users;

        private Part(Key key, Arena arena, MemorySegment memory, long fileOffset) {
            this.key = key;
            this.arena = arena;
            this.memory = memory;
            this.fileOffset = fileOffset;
        }

        private boolean holds(long offset, long bytes) {
            return offset >= fileOffset && bytes <= memory.byteSize() - (offset - fileOffset);
        }

        MemorySegment slice(long offset, long bytes) {
            return memory.asSlice(offset - fileOffset, bytes);
        }
    }

    private final Map<Key, Part> whole = new HashMap<>();

    /** The part with a range of a file, one user more. Ranges that reach beyond its end are refused, as touching them is fatal. */
    Part use(Fd file, long offset, long bytes, boolean writable) throws Refusal {
        if (bytes <= 0 || offset < 0 || offset + bytes < 0) {
            throw Refusal.invalid("a file range that cannot be");
        }
        FileStatus status = status(file);
        if (offset + bytes > status.sizeBytes()) {
            throw Refusal.invalid("a mapping beyond the end of its file");
        }
        Key key = new Key(status.device(), status.inode(), writable);
        Part part = whole.get(key);
        if (part == null || !part.holds(offset, bytes)) { // new, or it has grown
            part = map(key, file, status.sizeBytes(), offset, bytes);
        }
        part.users++;
        return part;
    }

    private static FileStatus status(Fd file) throws Refusal {
        try {
            FileStatus status = file.status();
            if (!status.isRegular()) {
                throw Refusal.invalid("a mapping of a " + status.type() + " instead of a memory file");
            }
            if (Libc.fileSystem("/proc/self/fd/" + file.number()).magic() == FUSE_MAGIC) {
                throw Refusal.invalid("a mapping of a file that another process answers for");
            }
            return status;
        } catch (NativeException e) {
            throw refused(e);
        }
    }

    private Part map(Key key, Fd file, long fileBytes, long offset, long bytes) throws Refusal {
        if (!MapBudget.take()) {
            throw new Refusal(Errno.ENOSPC, "more files mapped than this machine's limit leaves");
        }
        Arena arena = Arena.ofShared();
        try {
            Part part;
            try {
                part = new Part(key, arena, map(arena, key, file, 0, fileBytes), 0);
                whole.put(key, part);
            } catch (NativeException e) {
                if (e.errno() != Errno.ENOMEM) {
                    throw e;
                }
                long start = offset & -Protocol.PAGE_BYTES;
                part = new Part(key, arena, map(arena, key, file, start, offset - start + bytes), start);
            }
            return part;
        } catch (NativeException e) {
            arena.close();
            MapBudget.give();
            throw refused(e);
        }
    }

    private static MemorySegment map(Arena arena, Key key, Fd file, long offset, long bytes) {
        int protection = key.writable ? Linux.PROT_READ | Linux.PROT_WRITE : Linux.PROT_READ;
        return Libc.map(arena, bytes, protection, Linux.MAP_SHARED, file, offset, "client memory");
    }

    private static Refusal refused(NativeException e) {
        return new Refusal(e.errno(), String.valueOf(e.getMessage()));
    }

    /** A range less. The caller sees to it that no access is under way. */
    void release(Part part) {
        if (--part.users == 0) {
            whole.remove(part.key, part);
            part.arena.close();
            MapBudget.give();
        }
    }
}
