package dev.bascule.ffi;

import java.io.IOException;
import java.nio.file.Path;

/** Signals of tests to processes that they have started. */
public final class Signals {
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final long LOOK_MILLIS = 10;

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
            if (ignores(process, signal)) {
                throw new IllegalStateException("process " + pid + " ignores signal " + signal + ", as all that a shell"
                        + " starts in the background do Ctrl-C: start tests by scripts/test");
            }
            process.signal(signal);
        }
    }

    private static boolean ignores(HeldProcess process, int signal) {
        try {
            return KernelText.read(process.file("status")).lines().filter(line -> line.startsWith("SigIgn:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) >> signal - 1 & 1) == 1);
        } catch (IOException e) {
            return false; // gone, or not to be seen
        }
    }

    /** Whether a process has ended; one whose parent does not ask for its status, as some process 1, has too. */
    public static boolean hasEnded(long pid) {
        try {
            return ProcessMark.of(Path.of("/proc"), pid).isGone();
        } catch (IllegalArgumentException e) {
            return true; // nothing is there
        }
    }

    /** Waits until a process {@linkplain #hasEnded has ended}, for half a minute. */
    public static void awaitEnd(long pid) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!hasEnded(pid)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("process " + pid + " has not ended");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }
}
