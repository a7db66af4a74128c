package dev.bascule.ffi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Processes with the number of one that has ended, as every number comes round again. */
public final class SameNumber {
    private static final Path LAST = Path.of("/proc/sys/kernel/ns_last_pid");
    private static final int TRIES = 1000;

    private SameNumber() {}

    /** Starts a process of this number, which is free. Skips the test where the next number cannot be chosen. */
    public static Process start(long pid) throws IOException {
        for (int n = 0; n < TRIES; n++) {
            try {
                Files.writeString(LAST, Long.toString(pid - 1));
            } catch (IOException e) {
                Assumptions.abort("the next process number cannot be chosen: " + e.getMessage());
            }
            Process started = new ProcessBuilder("sleep", "1000").start();
            if (started.pid() == pid) {
                return started;
            }
            started.destroyForcibly();
        }
        return Assumptions.abort("process number " + pid + " did not come again");
    }
}
