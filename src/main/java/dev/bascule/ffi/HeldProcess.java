package dev.bascule.ffi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One process, which is never taken for a later one with the same number: its folder in {@code /proc} and its pidfd are held
 * open, and whatever is read or done by them fails once it has ended. Whoever acts on another process does it by one of these.
 * Control path; any thread.
 */
public final class HeldProcess implements AutoCloseable {
    private static final int SYS_PIDFD_SEND_SIGNAL = 424;
    private static final int SYS_PIDFD_OPEN = 434;
    private static final int SYS_PIDFD_GETFD = 438;
    private static final Path OWN_FILES = Path.of("/proc/self/fd");

    private final int pid;
    private final Fd folder;
    private final Fd process;

    private HeldProcess(int pid, Fd folder, Fd process) {
        this.pid = pid;
        this.folder = folder;
        this.process = process;
    }

    /**
     * The process that has this number now; null if none has.
     *
     * @throws NativeException if the kernel refuses, as one before 5.3 does
     */
    public static @Nullable HeldProcess open(long pid) {
        if (pid <= 0 || pid > Integer.MAX_VALUE) {
            return null; // 0 and less are groups
        }
        Fd folder = null;
        try {
            folder = Libc.open("/proc/" + pid, Linux.O_RDONLY);
            HeldProcess held = new HeldProcess((int) pid, folder, pidfd((int) pid));
            if (held.isThere()) { // else the folder is of one, and the pidfd of the next
                return held;
            }
            held.close();
            return null;
        } catch (NativeException e) {
            if (folder != null) {
                folder.close();
            }
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.ESRCH) {
                return null;
            }
            throw e;
        }
    }

    private static Fd pidfd(int pid) {
        int number = (int) call(SYS_PIDFD_OPEN, pid, 0);
        if (number < 0) {
            throw new NativeException("pidfd_open", "process " + pid, NativeCall.errno(),
                    "Linux 5.3 has it; a seccomp filter may refuse it");
        }
        return Fd.adopt(number, "process " + pid);
    }

    private static long call(int number, int a, int b) {
        MemorySegment n = MemorySegment.NULL;
        return NativeCall.syscall7(number, NativeCall.word(a), NativeCall.word(b), n, n, n, n);
    }

    /** Number of the process, for messages, and for calls that take no pidfd directly behind {@link #isThere}. */
    public int pid() {
        return pid;
    }

    /** A file of its folder in {@code /proc}: cannot be read or written any more when it has ended. */
    public Path file(String name) {
        return OWN_FILES.resolve(Integer.toString(folder.number())).resolve(name);
    }

    /** Whether the number is still its own: it runs, or nobody has asked for its exit status yet. */
    public boolean isThere() {
        return !stat().isEmpty();
    }

    /** Whether it has not ended. */
    public boolean isAlive() {
        String stat = stat();
        return !stat.isEmpty() && !KernelText.statFields(stat)[0].matches("[ZXx]");
    }

    private String stat() {
        try {
            return KernelText.read(file("stat"));
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Sends it a signal.
     *
     * @throws NativeException ESRCH if it has ended; EPERM
     */
    public void signal(int number) {
        if (call(SYS_PIDFD_SEND_SIGNAL, process.number(), number) < 0) {
            throw new NativeException("pidfd_send_signal", "process " + pid + " signal " + number, NativeCall.errno(),
                    "");
        }
    }

    /**
     * A descriptor of this process for what the other has open under {@code number}. It takes the permission to trace it.
     *
     * @param name what it is, for messages
     */
    public Fd take(int number, String name) {
        int taken = (int) call(SYS_PIDFD_GETFD, process.number(), number);
        if (taken < 0) {
            throw new NativeException("pidfd_getfd", name + " of process " + pid, NativeCall.errno(),
                    "Run as the same user, as root or with CAP_SYS_PTRACE");
        }
        return Fd.adopt(taken, name);
    }

    /** The pidfd. */
    int number() {
        return process.number();
    }

    @Override
    public void close() {
        process.close();
        folder.close();
    }
}
