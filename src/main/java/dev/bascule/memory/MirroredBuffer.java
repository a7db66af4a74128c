package dev.bascule.memory;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.MirroredMapping;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A ring whose pages are mapped twice back to back: a record that starts before the end and runs past it is one
 * contiguous range, so neither side ever splits a copy. Any thread may use the segment; a use after close is an
 * {@link IllegalStateException}.
 */
public final class MirroredBuffer implements AutoCloseable {
    private final Fd fd;
    private final Arena arena;
    private final MemorySegment segment;

    private MirroredBuffer(Fd fd, long sizeBytes, long pageSizeBytes) {
        this.fd = fd;
        this.arena = Arena.ofShared();
        try {
            fd.truncate(sizeBytes);
            if (pageSizeBytes == Libc.pageSizeBytes()) {
                fd.addSeals(Linux.F_SEAL_SHRINK | Linux.F_SEAL_GROW | Linux.F_SEAL_SEAL);
            }
            this.segment = MirroredMapping.map(arena, fd, sizeBytes, pageSizeBytes);
        } catch (RuntimeException e) {
            arena.close();
            fd.close();
            throw e;
        }
    }

    /** A ring of {@code sizeBytes}, a power of two of at least a page, zeroed. */
    public static MirroredBuffer create(String name, long sizeBytes) {
        int page = Libc.pageSizeBytes();
        requirePowerOfTwo(name, sizeBytes, page);
        return new MirroredBuffer(Libc.memfd(name, Linux.MFD_ALLOW_SEALING), sizeBytes, page);
    }

    /**
     * A mirrored buffer on hugepages, or a {@link dev.bascule.ffi.NativeException} with the command that reserves them.
     */
    public static MirroredBuffer createHuge(String name, long sizeBytes, long pageSizeBytes) {
        requirePowerOfTwo(name, sizeBytes, pageSizeBytes);
        return new MirroredBuffer(Hugepages.file(name, pageSizeBytes), sizeBytes, pageSizeBytes);
    }

    /** Twice {@link #sizeBytes}: byte i and byte i + size are the same. */
    public MemorySegment segment() {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException(fd.name() + " is closed");
        }
        return segment;
    }

    /** Size of the ring, half of the segment. */
    public long sizeBytes() {
        return segment.byteSize() / 2;
    }

    /** Offset of a running position: position and mask. */
    public long offset(long position) {
        return position & (sizeBytes() - 1);
    }

    /** Descriptor of the file underneath, to give to the other side. Owned by this object. */
    public int fileDescriptor() {
        return fd.number();
    }

    Fd fd() {
        return fd;
    }

    /** Unmaps; idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
            fd.close();
        }
    }

    private static void requirePowerOfTwo(String name, long sizeBytes, long pageSizeBytes) {
        if (sizeBytes < pageSizeBytes || Long.bitCount(sizeBytes) != 1) {
            throw new IllegalArgumentException("ring " + name + " of " + sizeBytes
                    + " bytes: must be a power of two of at least a page of " + pageSizeBytes);
        }
    }
}
