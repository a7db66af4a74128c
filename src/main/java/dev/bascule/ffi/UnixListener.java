package dev.bascule.ffi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A listening UNIX socket. A path left behind by a process that died is taken over; one that somebody listens on is
 * EADDRINUSE. Any thread may accept; {@link #close} wakes it and removes the path.
 */
public final class UnixListener implements AutoCloseable {
    private static final int BACKLOG = 16;

    private final Fd fd;
    private final Path path;

    private UnixListener(Fd fd, Path path) {
        this.fd = fd;
        this.path = path;
    }

    /** Listens at {@code path}. */
    public static UnixListener listen(Path path, UnixSocket.Type type) {
        Fd fd = UnixSocket.socket(type, path.toString());
        try (Arena arena = Arena.ofConfined()) {
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
     * @param timeoutMillis negative waits for ever
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

    /** The descriptor, to wait for in an {@link Epoll}. Owned by this object. */
    public Fd fd() {
        return fd;
    }

    @Override
    public void close() {
        if (fd.isOpen()) {
            remove(path);
            UnixSocket.shutdown(fd);
        }
    }

    private static void bind(Fd fd, Path path, UnixSocket.Type type, MemorySegment address) {
        MemorySegment length = NativeCall.word(address.byteSize());
        try {
            fd.checked("bind", Fn.BIND, address, length);
        } catch (NativeException e) {
            if (e.errno() != Errno.EADDRINUSE || !isStale(path, type)) {
                throw e;
            }
            remove(path);
            fd.checked("bind", Fn.BIND, address, length);
        }
    }

    private static boolean isStale(Path path, UnixSocket.Type type) {
        try {
            UnixSocket.connect(path, type).close();
            return false;
        } catch (NativeException e) {
            return e.errno() == Errno.ECONNREFUSED && !Files.isRegularFile(path);
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
