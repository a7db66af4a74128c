package dev.bascule.ffi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * A listening UNIX socket. A socket left behind by a process that died is taken over; one that somebody listens on, and
 * anything else that is there, is EADDRINUSE and stays. Of several that begin at once one listens. Any thread may accept;
 * {@link #close} wakes it and removes the socket, if it is still this one.
 */
public final class UnixListener implements AutoCloseable {
    private static final int BACKLOG = 16;
    private static final int FORMAT = 0170000;
    private static final int SOCKET = 0140000;

    private final Fd fd;
    private final Path path;
    /** Device and inode of the socket: the path may be another's when this one closes. */
    private final @Nullable Object file;

    private UnixListener(Fd fd, Path path) {
        this.fd = fd;
        this.path = path;
        this.file = identity(path);
    }

    /** Listens at {@code path}. */
    public static UnixListener listen(Path path, UnixSocket.Type type) {
        Fd fd = UnixSocket.socket(type, path.toString());
        // until it listens, a socket that is bound looks like one that was left behind
        try (Arena arena = Arena.ofConfined(); FolderLock _ = FolderLock.of(path)) {
            MemorySegment address = UnixSocket.address(arena, path);
            bind(fd, path, type, address);
            fd.checked("listen", Fn.LISTEN, NativeCall.word(BACKLOG), MemorySegment.NULL);
            return new UnixListener(fd, path);
        } catch (RuntimeException e) {
            fd.close();
            throw e;
        }
    }

    /**
     * Waits for a connection.
     *
     * @param timeoutMillis negative waits forever
     * @return the connection, or null after the timeout or when the listener has been closed meanwhile
     */
    public @Nullable UnixSocket accept(long timeoutMillis) {
        int events = Poll.await(fd, Linux.POLLIN, timeoutMillis);
        if ((events & Linux.POLLIN) == 0) {
            return null;
        }
        int listener = fd.enter();
        try {
            int number = (int) NativeCall.words(Fn.ACCEPT4, NativeCall.word(listener), MemorySegment.NULL,
                    MemorySegment.NULL, NativeCall.word(Linux.O_CLOEXEC));
            if (number >= 0) {
                return new UnixSocket(Fd.adopt(number, "connection to " + path));
            }
            if (NativeCall.errno() == Errno.EINVAL) { // shut down while we waited
                return null;
            }
            throw NativeException.last("accept4", path.toString());
        } finally {
            fd.exit();
        }
    }

    @Override
    public void close() {
        if (fd.isOpen()) {
            if (file != null && file.equals(identity(path))) {
                remove(path);
            }
            UnixSocket.shutdown(fd);
        }
    }

    private static void bind(Fd fd, Path path, UnixSocket.Type type, MemorySegment address) {
        MemorySegment length = NativeCall.word(address.byteSize());
        try {
            fd.checked("bind", Fn.BIND, address, length);
        } catch (NativeException e) {
            if (e.errno() != Errno.EADDRINUSE) {
                throw e;
            }
            if (!isSocket(path)) {
                throw new NativeException(e.step(), e.object(), e.errno(),
                        "What is there is no socket, and stays: choose another path");
            }
            if (!UnixSocket.isDeserted(path, type)) {
                throw e;
            }
            remove(path);
            fd.checked("bind", Fn.BIND, address, length);
        }
    }

    /** Of the name itself: a link is no socket, wherever it leads. */
    private static boolean isSocket(Path path) {
        try {
            int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            return (mode & FORMAT) == SOCKET;
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable Object identity(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException("remove " + path, e);
        }
    }
}
