package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Owner of one file descriptor. Any thread may use it; {@link #close} is idempotent and takes effect when the last call
 * under way has returned, so a number is never used after the kernel gave it to somebody else. Use after close is an
 * {@link IllegalStateException}, a failed call a {@link NativeException}.
 */
public final class Fd implements AutoCloseable {
    private static final int LOCK_EX_NB = 2 | 4;
    private static final int CLOSED = Integer.MIN_VALUE;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int AT_EMPTY_PATH = 0x1000;

    private final int number;
    private final String name;
    /** Calls under way, plus {@link #CLOSED} once closed. */
    private final AtomicInteger uses = new AtomicInteger();

    private Fd(int number, String name) {
        this.number = number;
        this.name = name;
    }

    /**
     * Takes ownership of a descriptor that the kernel handed out, for example by an ioctl.
     *
     * @param name what it is, for messages
     */
    public static Fd adopt(int number, String name) {
        if (number < 0) {
            throw new IllegalArgumentException("not a file descriptor: " + number);
        }
        return new Fd(number, name);
    }

    /** Number for use inside a struct; stays valid only while the caller keeps this owner open. */
    public int number() {
        if (uses.get() < 0) {
            throw closed();
        }
        return number;
    }

    /** Name of the descriptor for messages: a path or a description. */
    public String name() {
        return name;
    }

    /** Whether {@link #close} has not been called. */
    public boolean isOpen() {
        return uses.get() >= 0;
    }

    /** Reads at the current position. Returns bytes read; 0 at the end; -1 if it would block. */
    public long read(MemorySegment buffer) {
        return transfer(Fn.READ, buffer);
    }

    /** Writes at the current position. Returns bytes written; -1 if it would block. */
    public long write(MemorySegment buffer) {
        return transfer(Fn.WRITE, buffer);
    }

    /** Waits until something can be read, for at most this long; whether it can. */
    public boolean awaitReadable(long timeoutMillis) {
        return (Poll.await(this, Linux.POLLIN, timeoutMillis) & Linux.POLLIN) != 0;
    }

    /** Reads at {@code position}. Returns bytes read, 0 at the end. */
    public long pread(MemorySegment buffer, long position) {
        return positioned(Fn.PREAD, buffer, position);
    }

    /** Writes at {@code position}. Returns bytes written. */
    public long pwrite(MemorySegment buffer, long position) {
        return positioned(Fn.PWRITE, buffer, position);
    }

    /**
     * ioctl with a struct or other memory.
     *
     * @param step name of the request for messages, for example {@code VFIO_DEVICE_GET_INFO}
     * @return the call's result, 0 or more
     */
    public int ioctl(String step, long request, MemorySegment argument) {
        return checked(step, Fn.IOCTL, NativeCall.word(request), argument);
    }

    /** ioctl with a plain number. */
    public int ioctl(String step, long request, long argument) {
        return ioctl(step, request, NativeCall.word(argument));
    }

    /** Sets the file's length. */
    public void truncate(long lengthBytes) {
        checked("ftruncate", Fn.FTRUNCATE, NativeCall.word(lengthBytes), MemorySegment.NULL);
    }

    /**
     * Takes the room for a file's bytes now: an access to a mapped page that the file system has no room for would end in
     * a bus error. A file system that cannot say is left as it is.
     */
    public void allocate(long lengthBytes) {
        int fd = enter();
        try {
            int result;
            do {
                result = (int) NativeCall.words(Fn.FALLOCATE, NativeCall.word(fd), NativeCall.word(0),
                        NativeCall.word(0), NativeCall.word(lengthBytes));
            } while (result < 0 && NativeCall.errno() == Errno.EINTR);
            if (result < 0 && NativeCall.errno() != Errno.EOPNOTSUPP) {
                throw NativeException.last("fallocate", name);
            }
        } finally {
            exit();
        }
    }

    /** Adds seals (memfd only), see {@link Linux#F_SEAL_SHRINK}. */
    public void addSeals(int seals) {
        checked("fcntl F_ADD_SEALS", Fn.FCNTL, NativeCall.word(Linux.F_ADD_SEALS), NativeCall.word(seals));
    }

    /**
     * Takes the file's lock (flock), which the kernel gives back when this descriptor is closed, or its process has ended.
     *
     * @return false if another descriptor has it
     */
    public boolean tryLock() {
        try {
            checked("flock", Fn.FLOCK, NativeCall.word(LOCK_EX_NB), MemorySegment.NULL);
            return true;
        } catch (NativeException e) {
            if (e.errno() == Errno.EAGAIN) {
                return false;
            }
            throw e;
        }
    }

    /** The seals of a memfd. */
    public int seals() {
        return checked("fcntl F_GET_SEALS", Fn.FCNTL, NativeCall.word(Linux.F_GET_SEALS), MemorySegment.NULL);
    }

    /** Type, owner, mode and size. */
    public FileStatus status() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statx = arena.allocate(256, 8);
            int fd = enter();
            try {
                long result = NativeCall.words(Fn.STATX, NativeCall.word(fd), arena.allocateFrom(""),
                        NativeCall.word(AT_EMPTY_PATH), NativeCall.word(STATX_BASIC_STATS), statx);
                if ((int) result < 0) {
                    throw NativeException.last("statx", name);
                }
            } finally {
                exit();
            }
            return new FileStatus(statx.get(ValueLayout.JAVA_SHORT, 28) & 0xffff,
                    statx.get(ValueLayout.JAVA_INT, 20), statx.get(ValueLayout.JAVA_LONG, 40),
                    statx.get(ValueLayout.JAVA_LONG, 136), statx.get(ValueLayout.JAVA_LONG, 32));
        }
    }

    /** Closes; idempotent. */
    @Override
    public void close() {
        int seen;
        do {
            seen = uses.get();
            if (seen < 0) {
                return;
            }
        } while (!uses.compareAndSet(seen, seen | CLOSED));
        if (seen == 0) {
            release();
        }
    }

    /** Marks a call under way. Pair with {@link #exit}. */
    int enter() {
        int seen;
        do {
            seen = uses.get();
            if (seen < 0) {
                throw closed();
            }
        } while (!uses.compareAndSet(seen, seen + 1));
        return number;
    }

    void exit() {
        if (uses.decrementAndGet() == CLOSED) {
            release();
        }
    }

    /** A call {@code f(fd, a, b)} repeated while interrupted; failure is an exception. */
    int checked(String step, Fn function, MemorySegment a, MemorySegment b) {
        int fd = enter();
        try {
            int result;
            do {
                result = (int) NativeCall.words(function, NativeCall.word(fd), a, b);
            } while (result < 0 && NativeCall.errno() == Errno.EINTR);
            if (result < 0) {
                throw NativeException.last(step, name);
            }
            return result;
        } finally {
            exit();
        }
    }

    private void release() {
        // Linux frees the number even when close reports an error; there is nothing to retry.
        NativeCall.words(Fn.CLOSE, number, 0, 0);
    }

    private long transfer(Fn function, MemorySegment buffer) {
        int fd = enter();
        try {
            long count;
            do {
                count = NativeCall.transfer(function, fd, buffer, buffer.byteSize());
            } while (count < 0 && NativeCall.errno() == Errno.EINTR);
            if (count < 0 && NativeCall.errno() != Errno.EAGAIN) {
                throw NativeException.last(function.toString(), name);
            }
            return count;
        } finally {
            exit();
        }
    }

    private long positioned(Fn function, MemorySegment buffer, long position) {
        int fd = enter();
        try {
            long count;
            do {
                count = NativeCall.words(function, NativeCall.word(fd), buffer, NativeCall.word(buffer.byteSize()),
                        NativeCall.word(position));
            } while (count < 0 && NativeCall.errno() == Errno.EINTR);
            if (count < 0) {
                throw NativeException.last(function.toString(), name);
            }
            return count;
        } finally {
            exit();
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException(name + " is closed");
    }

    @Override
    public String toString() {
        return name + " (fd " + number + (isOpen() ? ")" : ", closed)");
    }
}
