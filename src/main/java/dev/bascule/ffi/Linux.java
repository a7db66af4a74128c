package dev.bascule.ffi;

/** Kernel constants the calls of this package take (uapi headers; the same on x86-64 and aarch64 unless said). */
public final class Linux {
    static final boolean AARCH64 = System.getProperty("os.arch", "").equals("aarch64");

    /** open: read only. */
    public static final int O_RDONLY = 0;
    /** open: write only. */
    public static final int O_WRONLY = 1;
    /** open: read and write. */
    public static final int O_RDWR = 2;
    /** open: create. */
    public static final int O_CREAT = 0x40;
    /** open: fail if it exists. */
    public static final int O_EXCL = 0x80;
    /** open: cut to zero. */
    public static final int O_TRUNC = 0x200;
    /** open: do not block. */
    public static final int O_NONBLOCK = 0x800;
    /** open: close when another program is executed. */
    public static final int O_CLOEXEC = 0x80000;
    /** open: past the page cache (differs on aarch64). */
    public static final int O_DIRECT = AARCH64 ? 0x10000 : 0x4000;
    /** open: do not follow a symbolic link (differs on aarch64). */
    public static final int O_NOFOLLOW = AARCH64 ? 0x8000 : 0x20000;
    /** open: each write has arrived before the call returns; memory devices map such a file uncached. */
    public static final int O_SYNC = 0x101000;

    /** mmap: no access. */
    public static final int PROT_NONE = 0;
    /** mmap: readable. */
    public static final int PROT_READ = 1;
    /** mmap: writable. */
    public static final int PROT_WRITE = 2;
    /** mmap: shared. */
    public static final int MAP_SHARED = 1;
    /** mmap: private copy. */
    public static final int MAP_PRIVATE = 2;
    static final int MAP_FIXED = 0x10;
    /** mmap: without a file. */
    public static final int MAP_ANONYMOUS = 0x20;
    /** mmap: fault all pages in now. */
    public static final int MAP_POPULATE = 0x8000;
    /** mmap: on hugepages; the page size's log2 goes to bit 26. */
    public static final int MAP_HUGETLB = 0x40000;
    /** Bit position of log2 of the hugepage size in mmap and memfd flags. */
    public static final int HUGE_SHIFT = 26;

    /** memfd_create: close when another program is executed. */
    public static final int MFD_CLOEXEC = 1;
    /** memfd_create: seals may be added. */
    public static final int MFD_ALLOW_SEALING = 2;
    /** memfd_create: on hugepages. */
    public static final int MFD_HUGETLB = 4;
    /** Seal: no further seals. */
    public static final int F_SEAL_SEAL = 1;
    /** Seal: cannot shrink. */
    public static final int F_SEAL_SHRINK = 2;
    /** Seal: cannot grow. */
    public static final int F_SEAL_GROW = 4;
    static final int F_GETFD = 1;
    static final int F_SETFL = 4;
    static final int F_ADD_SEALS = 1033;
    static final int F_GET_SEALS = 1034;

    /** madvise: use transparent hugepages. */
    public static final int MADV_HUGEPAGE = 14;
    /** madvise: not inherited by a forked child (pages under DMA must not become copy-on-write). */
    public static final int MADV_DONTFORK = 10;
    /** madvise: the next to be reclaimed, but left where they are. */
    public static final int MADV_COLD = 20;
    /** madvise: reclaimed now, to swap or to their file. */
    public static final int MADV_PAGEOUT = 21;
    /** madvise: fault in for writing. */
    public static final int MADV_POPULATE_WRITE = 23;

    /** poll, epoll: readable. */
    public static final int POLLIN = 1;
    /** poll, epoll: writable. */
    public static final int POLLOUT = 4;
    /** poll, epoll: error. */
    public static final int POLLERR = 8;
    /** poll, epoll: the other end is closed. */
    public static final int POLLHUP = 0x10;

    /** Signal: end at once. */
    public static final int SIGKILL = 9;
    /** Signal: please end. */
    public static final int SIGTERM = 15;
    /** Signal: continue. */
    public static final int SIGCONT = 18;
    /** Signal: stop. */
    public static final int SIGSTOP = 19;

    /** {@code f_type} of hugetlbfs. */
    public static final long HUGETLBFS_MAGIC = 0x958458f6L;
    /** {@code f_type} of tmpfs. */
    public static final long TMPFS_MAGIC = 0x01021994L;
    /** {@code f_flags} of a file system that is mounted read-only. */
    public static final int ST_RDONLY = 1;

    private Linux() {}
}
