package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Maps the same pages of a file twice, back to back. The only place that maps at a fixed address, inside its own
 * reservation.
 */
public final class MirroredMapping {
    private MirroredMapping() {}

    /**
     * Maps the first {@code lengthBytes} of {@code fd} twice in a row, until {@code arena} closes.
     *
     * @param lengthBytes multiple of {@code pageSizeBytes}
     * @param pageSizeBytes page size of the file, a power of two
     * @return twice {@code lengthBytes}; byte i and byte i + lengthBytes are the same
     */
    public static MemorySegment map(Arena arena, Fd fd, long lengthBytes, long pageSizeBytes) {
        if (lengthBytes <= 0 || lengthBytes > 1L << 45 || pageSizeBytes < Libc.pageSizeBytes()
                || Long.bitCount(pageSizeBytes) != 1 || lengthBytes % pageSizeBytes != 0) {
            throw new IllegalArgumentException(
                    fd.name() + ": " + lengthBytes + " bytes on pages of " + pageSizeBytes + " cannot be mirrored");
        }
        long reserved = 2 * lengthBytes + pageSizeBytes; // room to start on a page of the file
        MemorySegment reservation = Libc.mapAt(MemorySegment.NULL, reserved, Linux.PROT_NONE,
                Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "reservation for " + fd.name());
        try {
            long start = (reservation.address() + pageSizeBytes - 1) & -pageSizeBytes;
            half(fd, start, lengthBytes);
            half(fd, start + lengthBytes, lengthBytes);
            return MemorySegment.ofAddress(start).reinterpret(2 * lengthBytes, arena,
                    gone -> Libc.unmap(reservation, reserved));
        } catch (RuntimeException e) {
            Libc.unmap(reservation, reserved);
            throw e;
        }
    }

    private static void half(Fd fd, long address, long lengthBytes) {
        Libc.mapAt(NativeCall.word(address), lengthBytes, Linux.PROT_READ | Linux.PROT_WRITE,
                Linux.MAP_SHARED | Linux.MAP_FIXED, fd, 0, fd.name());
    }
}
