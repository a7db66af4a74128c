package dev.bascule.memory;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.FileStatus;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.OwnFile;
import dev.bascule.ffi.RawMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Memory that several processes map: a sealed memfd whose descriptor is passed on, or a named file (on {@code
 * /dev/shm}). The whole of it is mapped once, in a shared arena: any thread may use the segment, a use after {@link
 * #close} is an {@link IllegalStateException}.
 * <p>
 * <b>Truncation.</b> A memfd is sealed against shrinking, so its mapping stays good whatever the peer does. A named file
 * can be truncated by anyone who may write it; an access to a page that is gone then throws {@link InternalError} (the
 * JVM turns SIGBUS into it, possibly one access late). Code that reads memory of a peer that is not trusted catches it
 * at its outermost loop and asks {@link #isTruncation}; code that must attribute it to one access ends that access's try
 * block with {@link #faultNow}.
 */
public final class SharedMemory implements AutoCloseable {
    private static final int READ_WRITE = Linux.PROT_READ | Linux.PROT_WRITE;
    private static final int OWNER_ONLY = 0600;
    private static final long COLLECTION_NANOS = 100_000_000;
    private static final Cleaner CLEANER = Cleaner.create();
    /** Mappings that their owners have closed and the collector has not found yet; a process may have 65,530 in all. */
    private static final AtomicInteger UNCOLLECTED = new AtomicInteger();
    private static final int MOST_UNCOLLECTED = 4_096;
    private static volatile int once = 1;

    private final Fd fd;
    private final @Nullable Path path;
    private final Arena mapping;
    private final Arena arena;
    private final MemorySegment segment;
    private @Nullable PinnedMemory pinned;

    private SharedMemory(Fd fd, @Nullable Path path, long sizeBytes, int protection) {
        this.fd = fd;
        this.path = path;
        this.mapping = Arena.ofShared();
        this.arena = Arena.ofShared();
        try {
            this.segment = RawMemory.view(map(mapping, fd, sizeBytes, protection), arena);
        } catch (RuntimeException e) {
            mapping.close();
            throw e;
        }
    }

    /**
     * Mapping for which one collection makes room, as the JDK does for files: pinned memory is unmapped when
     * collected. Room is made before the system has none, as the virtual machine ends if it finds none for a thread.
     */
    private static MemorySegment map(Arena mapping, Fd fd, long sizeBytes, int protection) {
        if (UNCOLLECTED.get() >= MOST_UNCOLLECTED) {
            collect();
        }
        try {
            return Libc.map(mapping, sizeBytes, protection, Linux.MAP_SHARED, fd, 0, fd.name());
        } catch (NativeException e) {
            if (e.errno() != Errno.ENOMEM) {
                throw e;
            }
            collect();
            return Libc.map(mapping, sizeBytes, protection, Linux.MAP_SHARED, fd, 0, fd.name());
        }
    }

    private static void collect() {
        System.gc();
        LockSupport.parkNanos(COLLECTION_NANOS);
    }

    /** New memory without a path, zeroed, of a size that cannot be changed. {@code name} is for {@code /proc}. */
    public static SharedMemory create(String name, long sizeBytes) {
        requireSize(sizeBytes);
        Fd fd = Libc.memfd(name, Linux.MFD_ALLOW_SEALING);
        return closingOnFailure(fd, () -> {
            fd.truncate(sizeBytes);
            fd.addSeals(Linux.F_SEAL_SHRINK | Linux.F_SEAL_GROW | Linux.F_SEAL_SEAL);
            return new SharedMemory(fd, null, sizeBytes, READ_WRITE);
        });
    }

    /**
     * New named memory, zeroed, for this user only, with its space allocated. The file must not exist; the creator
     * removes it ({@link #unlink}). If there is no space, no file is left behind.
     */
    public static SharedMemory create(Path path, long sizeBytes) {
        requireSize(sizeBytes);
        Fd fd = Libc.open(path.toString(), Linux.O_RDWR | Linux.O_CREAT | Linux.O_EXCL | Linux.O_NOFOLLOW, OWNER_ONLY);
        return closingOnFailure(fd, () -> {
            try {
                fd.truncate(sizeBytes);
                fd.allocate(sizeBytes);
                return new SharedMemory(fd, path, sizeBytes, READ_WRITE);
            } catch (RuntimeException e) {
                remove(path);
                throw e;
            }
        });
    }

    /**
     * Opens named memory that another process made. A link, anything but a regular file, a foreign owner and another
     * size than {@code sizeBytes} are refused with an {@link IllegalArgumentException} that says which.
     */
    public static SharedMemory open(Path path, long sizeBytes) {
        requireSize(sizeBytes);
        // Non-blocking: opening a FIFO planted in place of the file must not hang.
        Fd fd = Libc.open(path.toString(), Linux.O_RDWR | Linux.O_NOFOLLOW | Linux.O_NONBLOCK);
        return closingOnFailure(fd, () -> {
            FileStatus status = requireFile(fd, sizeBytes);
            int user = Libc.effectiveUserId();
            if (status.uid() != user && user != 0) {
                throw new IllegalArgumentException(path + " belongs to user " + status.uid() + ", not to " + user
                        + "; run both sides as the same user");
            }
            return new SharedMemory(fd, path, sizeBytes, READ_WRITE);
        });
    }

    /**
     * Opens named memory to look at it: mapped read-only, and of this process's own user only, also for root, whose word
     * nobody else may put. Else as {@link #open}; a store into it ends the virtual machine.
     */
    public static SharedMemory openReadOnly(Path path, long sizeBytes) {
        requireSize(sizeBytes);
        Fd fd = OwnFile.open(path);
        return closingOnFailure(fd, () -> {
            FileStatus unused = requireFile(fd, sizeBytes);
            return new SharedMemory(fd, path, sizeBytes, Linux.PROT_READ);
        });
    }

    /**
     * Maps memory received from a peer as a descriptor, which becomes owned by the result (also on failure). A size
     * below {@code sizeBytes}, a missing seal against shrinking or anything but a memory file is refused.
     */
    public static SharedMemory adopt(int fileDescriptor, long sizeBytes) {
        Fd fd = Fd.adopt(fileDescriptor, "received memory");
        return closingOnFailure(fd, () -> {
            requireSize(sizeBytes);
            requireFile(fd, sizeBytes);
            if ((seals(fd) & Linux.F_SEAL_SHRINK) == 0) {
                throw new IllegalArgumentException(fd.name() + " is not sealed against shrinking; the peer could cut"
                        + " it while it is in use. Send a memfd sealed with F_SEAL_SHRINK");
            }
            return new SharedMemory(fd, null, sizeBytes, READ_WRITE);
        });
    }

    /** The whole memory. An {@link IllegalStateException} after {@link #close}. */
    public MemorySegment segment() {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException(fd.name() + " is closed");
        }
        return segment;
    }

    /**
     * The whole memory for code that works by address: it then stays mapped until that code is unreachable, also after
     * {@link #close}.
     */
    public synchronized PinnedMemory pinned() {
        MemorySegment whole = segment();
        PinnedMemory known = pinned;
        if (known == null) {
            Mapping user = new Mapping();
            CLEANER.register(user, () -> unmap(mapping, arena));
            known = new PinnedMemory(whole, user);
            pinned = known;
        }
        return known;
    }

    private static void unmap(Arena mapping, Arena arena) {
        mapping.close();
        if (!arena.scope().isAlive()) {
            UNCOLLECTED.decrementAndGet();
        }
    }

    /** Size in bytes. */
    public long sizeBytes() {
        return segment.byteSize();
    }

    /** The descriptor, to send to a peer; stays owned by this object. */
    public int fileDescriptor() {
        return fd.number();
    }

    Fd fd() {
        return fd;
    }

    /** Removes the name, if it has one. Mappings stay. */
    public void unlink() {
        if (path != null) {
            remove(path);
        }
    }

    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException("remove " + path, e);
        }
    }

    /**
     * Unmaps (if {@linkplain #pinned pinned}, when the last user is gone) and closes; idempotent. The name stays, see
     * {@link #unlink}. An {@link IllegalStateException} while a native call is using the memory.
     */
    @Override
    public synchronized void close() {
        if (arena.scope().isAlive()) {
            arena.close();
            if (pinned == null) {
                mapping.close();
            } else {
                UNCOLLECTED.incrementAndGet();
                pinned.ownerClosed();
                pinned = null;
            }
            fd.close();
        }
    }

    /** Whether {@code t} is the JVM's report of an access to a mapped page whose file has been cut. */
    public static boolean isTruncation(Throwable t) {
        String message = t.getMessage();
        return t instanceof InternalError && message != null && message.contains("fault occurred in");
    }

    /**
     * Throws now the {@link InternalError} of a fault that an earlier access of this thread has met, instead of a frame
     * later, where no try block is. The virtual machine delivers it at a safepoint poll, and a loop whose end it cannot
     * know in advance has one in each turn. OVERHEAD: two loads and a poll.
     */
    public static void faultNow() {
        for (int i = 0; i < once; i++) {
            // the turn is what counts
        }
    }

    private static FileStatus requireFile(Fd fd, long sizeBytes) {
        FileStatus status = fd.status();
        if (!status.isRegular()) {
            throw new IllegalArgumentException(fd.name() + " is a " + status.type() + ", not a memory file");
        }
        if (status.sizeBytes() != sizeBytes) {
            throw new IllegalArgumentException(fd.name() + " has " + status.sizeBytes() + " bytes, expected "
                    + sizeBytes + "; both sides must use the same configuration and version");
        }
        return status;
    }

    private static int seals(Fd fd) {
        try {
            return fd.seals();
        } catch (NativeException e) {
            if (e.errno() == Errno.EINVAL) {
                return 0; // not a memfd
            }
            throw e;
        }
    }

    private static void requireSize(long sizeBytes) {
        if (sizeBytes <= 0) {
            throw new IllegalArgumentException("size of shared memory: " + sizeBytes);
        }
    }

    private static SharedMemory closingOnFailure(Fd fd, java.util.function.Supplier<SharedMemory> body) {
        try {
            return body.get();
        } catch (RuntimeException e) {
            fd.close();
            throw e;
        }
    }
}
