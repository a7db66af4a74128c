package dev.bascule.ffi;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An eventfd: a counter in the kernel that one side signals and the other takes. Any thread may use it. Closing it does
 * not wake a waiter; signal first.
 */
public final class EventFd implements AutoCloseable {
    private static final int EFD_NONBLOCK = Linux.O_NONBLOCK;
    private static final MemorySegment ONE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1).asReadOnly();

    private final Fd fd;
    /** Taking from an empty counter does not wait. */
    private final boolean ours;

    private EventFd(Fd fd, boolean ours) {
        this.fd = fd;
        this.ours = ours;
    }

    /** A new counter at zero that does not block. */
    public static EventFd create() {
        int number = (int) NativeCall.words(Fn.EVENTFD, 0, EFD_NONBLOCK | Linux.O_CLOEXEC, 0);
        if (number < 0) {
            throw NativeException.last("eventfd", "new");
        }
        return new EventFd(Fd.adopt(number, "eventfd"), true);
    }

    /** Takes over a descriptor received from a peer. {@link #take} may block if the peer made it blocking. */
    public static EventFd of(Fd fd) {
        return new EventFd(fd, false);
    }

    /** Whether a descriptor is one, so that reading and writing it does what this class says. */
    public static boolean isEventFd(Fd fd) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd.number())).toString().contains("[eventfd]");
        } catch (IOException e) {
            return true; // no /proc to tell
        }
    }

    /** The descriptor, to pass on or to wait for in an {@link Epoll}. Owned by this object. */
    public Fd fd() {
        return fd;
    }

    /**
     * Adds one. Without effect if the counter is full: the waiter is awake anyway. Never blocks, whatever a peer makes of
     * its own counter.
     */
    public void signal() {
        if (ours) {
            fd.write(ONE);
        } else if (!EventSignal.add(fd)) {
            makeNonBlocking(); // the next best: a peer can undo it, at the price of a hang it could have had before
            fd.write(ONE);
        }
    }

    private void makeNonBlocking() {
        fd.checked("fcntl F_SETFL", Fn.FCNTL, NativeCall.word(Linux.F_SETFL),
                NativeCall.word(Linux.O_RDWR | EFD_NONBLOCK));
    }

    /** Takes the count and sets it to zero; 0 if there was none. */
    public long take() {
        Scratch scratch = Scratch.ofThread();
        int number = fd.enter();
        try {
            long bytes;
            do {
                bytes = NativeCall.raw(Fn.READ, scratch.state, number, scratch.address, Long.BYTES);
            } while (bytes < 0 && NativeCall.errno(scratch.state) == Errno.EINTR);
            if (bytes < 0 && NativeCall.errno(scratch.state) != Errno.EAGAIN) {
                throw new NativeException("read", fd.name(), NativeCall.errno(scratch.state));
            }
            return bytes == Long.BYTES ? scratch.word.get(ValueLayout.JAVA_LONG, 0) : 0;
        } finally {
            fd.exit();
        }
    }

    /**
     * Waits for a signal and takes the count. What came before the call is taken without a wait, by one system call.
     *
     * @param timeoutMillis negative waits forever
     * @return the count, 0 after the timeout
     */
    public long await(long timeoutMillis) {
        long count = ours ? take() : 0;
        if (count != 0) {
            return count;
        }
        return (Poll.await(fd, Linux.POLLIN, timeoutMillis) & Linux.POLLIN) == 0 ? 0 : take();
    }

    @Override
    public void close() {
        fd.close();
    }
}
