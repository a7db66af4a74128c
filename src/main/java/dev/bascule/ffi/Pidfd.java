package dev.bascule.ffi;

import java.lang.foreign.MemorySegment;

/**
 * Descriptors of another process: this one gets its own number for the same open file. It takes the permission to trace the
 * other process. Control path; any thread.
 */
public final class Pidfd {
    private static final int SYS_PIDFD_OPEN = 434;
    private static final int SYS_PIDFD_GETFD = 438;

    private Pidfd() {}

    /**
     * A descriptor of this process for what the other has open under {@code number}.
     *
     * @param name what it is, for messages
     */
    public static Fd take(int pid, int number, String name) {
        try (Fd opened = open(pid, "The process that " + name + " belongs to has ended")) {
            int taken = (int) call(SYS_PIDFD_GETFD, opened.number(), number);
            if (taken < 0) {
                throw new NativeException("pidfd_getfd", name + " of process " + pid, NativeCall.errno(),
                        "Run as the same user, as root or with CAP_SYS_PTRACE");
            }
            return Fd.adopt(taken, name);
        }
    }

    /** A descriptor that stands for the process. {@code gone} is what it means when there is none. */
    static Fd open(int pid, String gone) {
        int process = (int) call(SYS_PIDFD_OPEN, pid, 0);
        if (process < 0) {
            throw new NativeException("pidfd_open", "process " + pid, NativeCall.errno(), gone);
        }
        return Fd.adopt(process, "process " + pid);
    }

    private static long call(int number, int a, int b) {
        return NativeCall.syscall7(number, NativeCall.word(a), NativeCall.word(b), MemorySegment.NULL,
                MemorySegment.NULL, MemorySegment.NULL, MemorySegment.NULL);
    }
}
