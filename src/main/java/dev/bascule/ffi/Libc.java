package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Files, memory and process calls. Control path; any thread. A failed call is a {@link NativeException}, a malformed
 * argument an {@link IllegalArgumentException}.
 */
public final class Libc {
    private static final int CLOCK_THREAD_CPUTIME_ID = 3;
    private static final ThreadLocal<MemorySegment> THREAD_TIME = ThreadLocal
            .withInitial(() -> Arena.ofAuto().allocate(16, 8));
    /** Nobody reads it: the call cannot fail. */
    private static final MemorySegment YIELD_STATE = NativeCall.newState();
    private static final int SC_PAGESIZE = 30;
    /** MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT. */
    private static final int LOCK_TOUCHED = 1 | 2 | 4;
    private static final int MAX_NAME_BYTES = 249;

    /** Of asm-generic/ioctls.h. */
    private static final long TIOCGWINSZ = 0x5413;

    private Libc() {}

    /** Columns of the terminal that a descriptor is; 0 if it is none, or does not say. */
    public static int terminalColumns(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(8, 2); // rows, columns, and both in pixels
            long result = NativeCall.words(Fn.IOCTL, NativeCall.word(descriptor), NativeCall.word(TIOCGWINSZ), size);
            return (int) result < 0 ? 0 : size.get(ValueLayout.JAVA_SHORT, 2) & 0xffff;
        }
    }

    /** Opens {@code path}; {@link Linux#O_CLOEXEC} is added. */
    public static Fd open(String path, int flags) {
        return open(path, flags, 0);
    }

    /** Opens {@code path} with the permission bits of a new file; {@link Linux#O_CLOEXEC} is added. */
    public static Fd open(String path, int flags, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = string(arena, path);
            int fd;
            do {
                fd = (int) NativeCall.words(Fn.OPEN, name, NativeCall.word(flags | Linux.O_CLOEXEC),
                        NativeCall.word(mode));
            } while (fd < 0 && NativeCall.errno() == Errno.EINTR);
            if (fd < 0) {
                throw NativeException.last("open", path);
            }
            return Fd.adopt(fd, path);
        }
    }

    /** A new memory file of no length; close-on-exec is added to {@code flags} (see {@link Linux#MFD_HUGETLB}). */
    public static Fd memfd(String name, int flags) {
        if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException("memfd name longer than " + MAX_NAME_BYTES + " bytes: " + name);
        }
        try (Arena arena = Arena.ofConfined()) {
            int fd = (int) NativeCall.words(Fn.MEMFD_CREATE, string(arena, name),
                    NativeCall.word(flags | Linux.MFD_CLOEXEC));
            String object = "memfd:" + name;
            if (fd < 0) {
                throw NativeException.last((flags & Linux.MFD_HUGETLB) != 0
                        ? "memfd_create MFD_HUGETLB"
                        : "memfd_create", object);
            }
            return Fd.adopt(fd, object);
        }
    }

    /**
     * Maps memory until {@code arena} closes (a shared arena, if several threads look at it).
     *
     * @param fd file, or null for {@link Linux#MAP_ANONYMOUS}
     * @param object what is mapped, for messages
     * @return exactly {@code lengthBytes}
     */
    public static MemorySegment map(Arena arena, long lengthBytes, int protection, int flags, @Nullable Fd fd,
            long offset, String object) {
        if (lengthBytes <= 0 || offset < 0) {
            throw new IllegalArgumentException("mmap " + object + ": length " + lengthBytes + ", offset " + offset);
        }
        if ((flags & Linux.MAP_FIXED) != 0) {
            throw new IllegalArgumentException("mmap " + object + ": MAP_FIXED could replace memory of the JVM");
        }
        MemorySegment bare = mapAt(MemorySegment.NULL, lengthBytes, protection, flags, fd, offset, object);
        try {
            return bare.reinterpret(lengthBytes, arena, s -> unmap(s, lengthBytes));
        } catch (RuntimeException e) { // the arena is closed
            unmap(bare, lengthBytes);
            throw e;
        }
    }

    static MemorySegment mapAt(MemorySegment where, long lengthBytes, int protection, int flags, @Nullable Fd fd,
            long offset, String object) {
        int number = fd == null ? -1 : fd.enter();
        try {
            long address = NativeCall.words(Fn.MMAP, where, NativeCall.word(lengthBytes), NativeCall.word(protection),
                    NativeCall.word(flags), NativeCall.word(number), NativeCall.word(offset));
            if (address == -1) {
                throw NativeException.last((flags & Linux.MAP_HUGETLB) != 0 ? "mmap MAP_HUGETLB" : "mmap", object);
            }
            return MemorySegment.ofAddress(address);
        } finally {
            if (fd != null) {
                fd.exit();
            }
        }
    }

    static void unmap(MemorySegment where, long lengthBytes) {
        NativeCall.words(Fn.MUNMAP, NativeCall.word(where.address()), NativeCall.word(lengthBytes));
    }

    /** Locks the pages of a mapping in memory. */
    public static void lock(MemorySegment memory) {
        memoryCall("mlock", Fn.MLOCK, memory, 0);
    }

    /**
     * Locks every page of this process in memory, each from its first use on (mlockall with MCL_ONFAULT): what was touched once
     * is not read from a file again.
     *
     * @return false if the process may not (CAP_IPC_LOCK, RLIMIT_MEMLOCK)
     */
    public static boolean lockTouched() {
        return (int) NativeCall.words(Fn.MLOCKALL, NativeCall.word(LOCK_TOUCHED)) == 0;
    }

    /** A session of this process's own: signals of a terminal and of the group that started it reach it no more. */
    public static void newSession() {
        if ((int) NativeCall.words(Fn.SETSID) < 0) {
            throw NativeException.last("setsid", "this process");
        }
    }

    /** madvise; {@code advice} as {@link Linux#MADV_HUGEPAGE}. */
    public static void advise(MemorySegment memory, int advice) {
        memoryCall("madvise", Fn.MADVISE, memory, advice);
    }

    private static void memoryCall(String step, Fn function, MemorySegment memory, int argument) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException(step + ": the segment is on the heap");
        }
        int result = (int) NativeCall.words(function, memory, NativeCall.word(memory.byteSize()),
                NativeCall.word(argument));
        if (result < 0) {
            throw NativeException.last(step, describe(memory));
        }
    }

    /** Size of an ordinary page. */
    public static int pageSizeBytes() {
        return PageSize.BYTES;
    }

    /** Asked for once, when it is first needed. */
    private static final class PageSize {
        static final int BYTES = (int) sysconf(SC_PAGESIZE);
    }

    /** sysconf; -1 if the system sets no limit. An unknown name is a {@link NativeException}. */
    public static long sysconf(int name) {
        long value = NativeCall.words(Fn.SYSCONF, NativeCall.word(name));
        // -1 with an untouched errno means "no limit"; captured errno may be older, and only EINVAL counts here.
        if (value == -1 && NativeCall.errno() == Errno.EINVAL) {
            throw NativeException.last("sysconf", "name " + name);
        }
        return value;
    }

    /** The file system that holds {@code path}. */
    public static FileSystemStatus fileSystem(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statfs = arena.allocate(120, 8);
            if ((int) NativeCall.words(Fn.STATFS, string(arena, path), statfs) < 0) {
                throw NativeException.last("statfs", path);
            }
            long block = statfs.get(ValueLayout.JAVA_LONG, 8);
            return new FileSystemStatus(statfs.get(ValueLayout.JAVA_LONG, 0), block,
                    block * statfs.get(ValueLayout.JAVA_LONG, 16), block * statfs.get(ValueLayout.JAVA_LONG, 32),
                    (statfs.get(ValueLayout.JAVA_LONG, 80) & Linux.ST_RDONLY) != 0);
        }
    }

    /** Kernel id of the calling thread (of the carrier, on a virtual thread). */
    public static int threadId() {
        return (int) NativeCall.words(Fn.GETTID);
    }

    /**
     * Lets other threads that wait for this core run first (sched_yield(2)). On a virtual thread too, where
     * {@link Thread#yield} only lets other virtual threads run.
     */
    public static void yieldCore() {
        NativeCall.raw(Fn.SCHED_YIELD, YIELD_STATE, 0, 0, 0);
    }

    /** Effective user id. */
    public static int effectiveUserId() {
        return (int) NativeCall.words(Fn.GETEUID);
    }

    /** CPU time of the calling kernel thread so far, ns: one system call, where the scheduler's account takes three and a file. */
    public static long threadCpuNanos() {
        MemorySegment time = THREAD_TIME.get();
        NativeCall.words(Fn.CLOCK_GETTIME, NativeCall.word(CLOCK_THREAD_CPUTIME_ID), time);
        return time.get(ValueLayout.JAVA_LONG, 0) * 1_000_000_000 + time.get(ValueLayout.JAVA_LONG, 8);
    }

    static MemorySegment string(Arena arena, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a name with a zero character: " + text.replace('\0', '?'));
        }
        return arena.allocateFrom(text);
    }

    static String describe(MemorySegment memory) {
        return (memory.byteSize() >= 1 << 20 ? (memory.byteSize() >> 20) + " MiB" : memory.byteSize() + " bytes")
                + " at 0x" + Long.toHexString(memory.address());
    }
}
