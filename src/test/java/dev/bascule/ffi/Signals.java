package dev.bascule.ffi;

/** Signals of tests to processes that they have started. */
public final class Signals {
    private Signals() {}

    /**
     * Sends one; {@link Errno#ESRCH} when there is no such process.
     *
     * @throws IllegalArgumentException for the number of a group
     */
    public static void send(long pid, int signal) {
        if (pid <= 0) {
            throw new IllegalArgumentException("process " + pid);
        }
        try (HeldProcess process = HeldProcess.open(pid)) {
            if (process == null) {
                throw new NativeException("send signal " + signal, "process " + pid, Errno.ESRCH, "");
            }
            process.signal(signal);
        }
    }
}
