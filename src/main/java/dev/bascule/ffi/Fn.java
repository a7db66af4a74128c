package dev.bascule.ffi;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The libc functions used, each looked up at its first call. */
enum Fn {
    OPEN, CLOSE, READ, WRITE, PREAD, PWRITE, IOCTL, FCNTL, FLOCK, FTRUNCATE, FALLOCATE, STATX, STATFS, MMAP, MUNMAP, MLOCK, MUNLOCK, //
    MLOCKALL, SCHED_SETSCHEDULER, SCHED_GETSCHEDULER, //
    MADVISE, MEMFD_CREATE, EVENTFD, EPOLL_CREATE1, EPOLL_CTL, EPOLL_WAIT, POLL, SOCKET, SOCKETPAIR, BIND, LISTEN, //
    ACCEPT4, CONNECT, SHUTDOWN, SENDMSG, RECVMSG, GETSOCKOPT, SCHED_SETAFFINITY, SCHED_GETAFFINITY, SCHED_YIELD, GETCPU, //
    SYSCONF, CLOCK_GETTIME, GETRLIMIT, SETRLIMIT, WAITID, GETTID, GETPID, GETEUID, SETSID, SYSCALL, //
    POSIX_SPAWNP, POSIX_SPAWNATTR_INIT, POSIX_SPAWNATTR_SETFLAGS, POSIX_SPAWNATTR_SETSIGMASK;

    private @Nullable MemorySegment address;

    /** Address of the function. Two threads may both look it up and find the same. */
    MemorySegment address() {
        MemorySegment found = address;
        if (found == null) {
            String symbol = toString();
            found = Linker.nativeLinker().defaultLookup().find(symbol)
                    .orElseThrow(() -> new MissingPartException("the C library has no function " + symbol
                            + "; Bascule needs Linux with glibc 2.30 or newer (or musl 1.2)"));
            address = found;
        }
        return found;
    }

    /** The C name. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
