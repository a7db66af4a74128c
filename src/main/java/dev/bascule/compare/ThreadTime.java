package dev.bascule.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of the calling kernel thread, from the scheduler's own account. */
final class ThreadTime {
    private static final Path ACCOUNT = Path.of("/proc/thread-self/schedstat");

    private ThreadTime() {}

    /** Nanoseconds on a CPU so far; -1 where the kernel does not tell. */
    static long nanos() {
        try {
            String text = Files.readString(ACCOUNT);
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return -1;
        }
    }
}
