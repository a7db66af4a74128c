package dev.bascule.workload.steering;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of this process's threads by their names, from the scheduler's account in /proc. Thread rule: any thread. */
public final class ThreadTimes {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final int MOST_NAME = 15;

    private ThreadTimes() {}

    /**
     * CPU time so far of all threads whose name begins so, ns; of those that live. 0 where the kernel does not tell.
     *
     * @param name beginning of the name; the kernel knows the first 15 characters
     */
    public static long nanos(String name) {
        String prefix = name.substring(0, Math.min(MOST_NAME, name.length()));
        long sum = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                sum += nanos(task, prefix);
            }
        } catch (IOException e) {
            return sum;
        }
        return sum;
    }

    private static long nanos(Path task, String prefix) {
        try {
            if (!KernelText.read(task.resolve("comm")).startsWith(prefix)) {
                return 0;
            }
            String account = KernelText.read(task.resolve("schedstat"));
            return Long.parseLong(account.substring(0, account.indexOf(' ')));
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return 0; // ended meanwhile
        }
    }
}
