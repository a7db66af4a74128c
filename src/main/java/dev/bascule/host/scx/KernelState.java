package dev.bascule.host.scx;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** State of the kernel's schedulers, as {@code /sys/kernel/sched_ext} tells it. */
public final class KernelState {
    private static final Path FOLDER = Path.of("/sys/kernel/sched_ext");

    private KernelState() {}

    /** Whether the kernel has sched_ext. */
    public static boolean isThere() {
        return Files.isDirectory(FOLDER);
    }

    /** {@code enabled}, {@code disabled} or what is between; empty if the kernel has no sched_ext. */
    public static String state() {
        return read("state");
    }

    /** Name of the scheduler that rules now; empty if none does. Ours end with their process' number. */
    public static String scheduler() {
        return read("root/ops");
    }

    private static String read(String file) {
        try {
            return Files.readString(FOLDER.resolve(file)).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
