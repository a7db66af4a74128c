package dev.bascule.ffi;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A regular file of this process's own user, which is read where others may have put something else in its place: no link is
 * followed, no FIFO waited for, no device opened, nobody else's word taken, not by root either. Any thread.
 */
public final class OwnFile {
    private OwnFile() {}

    /**
     * Opens it for reading.
     *
     * @throws NativeException if it cannot be opened, ENOENT if it is not there
     * @throws IllegalArgumentException if it is no regular file, or another user's
     */
    public static Fd open(Path file) {
        Fd fd = Libc.open(file.toString(), Linux.O_RDONLY | Linux.O_NOFOLLOW | Linux.O_NONBLOCK);
        try {
            FileStatus status = fd.status();
            int user = Libc.effectiveUserId();
            if (!status.isRegular()) {
                throw new IllegalArgumentException(file + " is a " + status.type() + ", not a regular file");
            }
            if (status.uid() != user) {
                throw new IllegalArgumentException(file + " belongs to user " + status.uid() + ", not to " + user
                        + "; look at it as that user: sudo -u '#" + status.uid() + "' scripts/bascule ...");
            }
            return fd;
        } catch (RuntimeException e) {
            fd.close();
            throw e;
        }
    }

    /** Reads the first bytes of a file, at most {@code most}; an {@link IOException} for what {@link #open} refuses. */
    public static byte[] read(Path file, int most) throws IOException {
        try (Fd fd = open(file); Arena arena = Arena.ofConfined()) {
            int size = (int) Math.min(most, fd.status().sizeBytes());
            MemorySegment bytes = arena.allocate(Math.max(1, size));
            long count = size == 0 ? 0 : fd.pread(bytes.asSlice(0, size), 0);
            return bytes.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
        } catch (NativeException e) {
            throw e.errno() == Errno.ENOENT
                    ? new NoSuchFileException(file.toString())
                    : new IOException(e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
