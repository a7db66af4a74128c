package dev.bascule.ffi;

/**
 * Linux error numbers by name. The numbers are those of {@code asm-generic/errno.h}, which x86-64 and aarch64 share.
 */
public final class Errno {
    /** Operation not permitted. */
    public static final int EPERM = 1;
    /** No such file or directory. */
    public static final int ENOENT = 2;
    /** No such process. */
    public static final int ESRCH = 3;
    /** Interrupted by a signal; calls of this package retry by themselves. */
    public static final int EINTR = 4;
    /** Input or output error. */
    public static final int EIO = 5;
    /** Bad file descriptor. */
    public static final int EBADF = 9;
    /** The call would block. */
    public static final int EAGAIN = 11;
    /** Out of memory, or over RLIMIT_MEMLOCK, or no free hugepage. */
    public static final int ENOMEM = 12;
    /** Permission denied. */
    public static final int EACCES = 13;
    /** Bad address. */
    public static final int EFAULT = 14;
    /** Busy. */
    public static final int EBUSY = 16;
    /** Exists already. */
    public static final int EEXIST = 17;
    /** No such device. */
    public static final int ENODEV = 19;
    /** Invalid argument. */
    public static final int EINVAL = 22;
    /** Too many open files in this process. */
    public static final int EMFILE = 24;
    /** Not a device that takes this ioctl. */
    public static final int ENOTTY = 25;
    /** No space left. */
    public static final int ENOSPC = 28;
    /** The peer has closed its end. */
    public static final int EPIPE = 32;
    /** The kernel has no such call. */
    public static final int ENOSYS = 38;
    /** The descriptor is in a bad state: its interface was deleted. */
    public static final int EBADFD = 77;
    /** Not supported here. */
    public static final int EOPNOTSUPP = 95;
    /** Address in use. */
    public static final int EADDRINUSE = 98;
    /** Connection reset by peer. */
    public static final int ECONNRESET = 104;
    /** Timed out. */
    public static final int ETIMEDOUT = 110;
    /** Nobody listens there. */
    public static final int ECONNREFUSED = 111;

    private static final String[] NAMES = { //
            "", "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD",
            "EAGAIN", "ENOMEM", "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR",
            "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE", "EROFS",
            "EMLINK", "EPIPE", "EDOM", "ERANGE", "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY",
            "ELOOP", "", "ENOMSG", "EIDRM", "ECHRNG", "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG", "EUNATCH", "ENOCSI",
            "EL2HLT", "EBADE", "EBADR", "EXFULL", "ENOANO", "EBADRQC", "EBADSLT", "", "EBFONT", "ENOSTR", "ENODATA",
            "ETIME", "ENOSR", "ENONET", "ENOPKG", "EREMOTE", "ENOLINK", "EADV", "ESRMNT", "ECOMM", "EPROTO",
            "EMULTIHOP", "EDOTDOT", "EBADMSG", "EOVERFLOW", "ENOTUNIQ", "EBADFD", "EREMCHG", "ELIBACC", "ELIBBAD",
            "ELIBSCN", "ELIBMAX", "ELIBEXEC", "EILSEQ", "ERESTART", "ESTRPIPE", "EUSERS", "ENOTSOCK",
            "EDESTADDRREQ", "EMSGSIZE", "EPROTOTYPE", "ENOPROTOOPT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT",
            "EOPNOTSUPP", "EPFNOSUPPORT", "EAFNOSUPPORT", "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH",
            "ENETRESET", "ECONNABORTED", "ECONNRESET", "ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN",
            "ETOOMANYREFS", "ETIMEDOUT", "ECONNREFUSED", "EHOSTDOWN", "EHOSTUNREACH", "EALREADY", "EINPROGRESS",
            "ESTALE", "EUCLEAN", "ENOTNAM", "ENAVAIL", "EISNAM", "EREMOTEIO", "EDQUOT", "ENOMEDIUM", "EMEDIUMTYPE",
            "ECANCELED", "ENOKEY", "EKEYEXPIRED", "EKEYREVOKED", "EKEYREJECTED", "EOWNERDEAD", "ENOTRECOVERABLE",
            "ERFKILL", "EHWPOISON" };

    private Errno() {}

    /** The symbolic name, for example {@code ENOMEM}; {@code errno N} for a number Linux does not define. */
    public static String name(int number) {
        if (number > 0 && number < NAMES.length && !NAMES[number].isEmpty()) {
            return NAMES[number];
        }
        return "errno " + number;
    }

    /** The number of a symbolic name, or -1 for an unknown one. */
    public static int number(String name) {
        for (int i = 1; i < NAMES.length; i++) {
            if (!name.isEmpty() && NAMES[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
