package dev.bascule.ffi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Mark of a process, so that it is not taken for a later one with the same number: its id, when it started, where the
 * id counts, and since which boot.
 *
 * @param pid process id
 * @param startTicks start, clock ticks since boot; field 22 of {@code /proc/PID/stat}
 * @param namespace the PID namespace, such as {@code pid:[4026531836]}
 * @param boot the kernel's boot id
 */
public record ProcessMark(long pid, long startTicks, String namespace, String boot) {
    private static final Path PROC = Path.of("/proc");

    /** This process. */
    public static ProcessMark own() {
        return of(PROC, ProcessHandle.current().pid());
    }

    /** A process that lives. */
    static ProcessMark of(Path proc, long pid) {
        String stat = stat(proc, pid);
        if (stat == null) {
            throw new IllegalArgumentException("process " + pid + " is not there");
        }
        return new ProcessMark(pid, startTicks(stat), namespace(proc), boot(proc));
    }

    /** One line that {@link #parse} reads. */
    public String line() {
        return pid + " " + startTicks + " " + namespace + " " + boot;
    }

    /** The mark of a line; null if it is none. */
    public static @Nullable ProcessMark parse(String line) {
        String[] words = line.strip().split(" ");
        try {
            return words.length == 4
                    ? new ProcessMark(Long.parseLong(words[0]), Long.parseLong(words[1]), words[2], words[3])
                    : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Whether the process has ended for certain; one that cannot be seen from here is not. */
    public boolean isGone() {
        return isGone(PROC);
    }

    boolean isGone(Path proc) {
        String nowBoot = boot(proc);
        if (!boot.equals(nowBoot)) {
            return !nowBoot.isEmpty();
        }
        if (!namespace.equals(namespace(proc)) || !Files.isDirectory(proc.resolve("self"))) {
            return false;
        }
        String stat = stat(proc, pid);
        return stat == null || isDead(stat) || startTicks(stat) != startTicks;
    }

    private static long startTicks(String stat) {
        String[] fields = KernelText.statFields(stat);
        return fields.length > 19 ? Long.parseLong(fields[19]) : 0;
    }

    /** Dead but not buried: nobody has asked for its exit status yet. */
    private static boolean isDead(String stat) {
        return KernelText.statFields(stat)[0].matches("[ZXx]");
    }

    private static @Nullable String stat(Path proc, long pid) {
        try {
            return KernelText.read(proc.resolve(Long.toString(pid)).resolve("stat"));
        } catch (IOException e) {
            return null;
        }
    }

    private static String namespace(Path proc) {
        try {
            return Files.readSymbolicLink(proc.resolve("self/ns/pid")).toString();
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String boot(Path proc) {
        try {
            return KernelText.read(proc.resolve("sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
