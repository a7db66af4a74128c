package dev.bascule.host.scx;

import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.Patience;
import dev.bascule.ffi.SchedulingClass;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Threads in SCHED_EXT while no scheduler of sched_ext is loaded: the kernel treats them as its own, and the next scheduler
 * finds them. There is one at a time, so those of a scheduler that has gone are all. Any thread.
 */
public final class ClassLeftovers {
    private static final int ROUNDS = 100;
    private static final long LONGEST_END_NANOS = 60_000_000_000L;
    private static final long LOOK_MILLIS = 10;
    private static final int POLICY = 38; // field 41 of /proc/PID/task/TID/stat

    private ClassLeftovers() {}

    /**
     * The threads that there are now, by their numbers.
     *
     * @param proc where the kernel's processes are shown
     */
    public static List<Integer> find(Path proc) {
        List<Integer> found = new ArrayList<>();
        for (Path process : numbered(proc)) {
            for (Path thread : numbered(process.resolve("task"))) {
                if (isIn(thread)) {
                    found.add(Integer.valueOf(String.valueOf(thread.getFileName())));
                }
            }
        }
        return found;
    }

    /**
     * Moves them to the kernel's own class, and what they start meanwhile; none while a scheduler is loaded. Those of other users
     * stay unless root calls.
     *
     * @return how many were moved
     */
    public static int takeOut() {
        int count = 0;
        int before = -1;
        for (int round = 0; round < ROUNDS && count > before && KernelState.scheduler().isEmpty(); round++) {
            before = count;
            count += find(Path.of("/proc")).stream().mapToInt(ClassLeftovers::takeOut).sum();
        }
        return count;
    }

    /**
     * Takes them out once the process at the other end of a pipe has ended, however it ended, and its scheduler has
     * gone; nothing if that is still there after a minute. Meant for a process of its own, which nothing that ends the
     * other reaches.
     *
     * @param other end of the pipe: nothing is written to it
     * @param pid of that process
     */
    public static void takeOutAfter(InputStream other, long pid) throws IOException, InterruptedException {
        Libc.newSession();
        other.transferTo(OutputStream.nullOutputStream());
        Patience patience = new Patience(LONGEST_END_NANOS);
        while (KernelState.scheduler().equals(KernelProgram.nameOf(pid)) && !patience.isOver()) {
            Thread.sleep(LOOK_MILLIS);
        }
        int unused = takeOut();
    }

    private static int takeOut(int thread) {
        try {
            SchedulingClass.set(thread, SchedulingClass.OTHER, 0);
            return 1;
        } catch (NativeException e) {
            return 0; // it has ended, or is another user's
        }
    }

    private static List<Path> numbered(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(one -> String.valueOf(one.getFileName()).matches("[0-9]+")).toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // a process has ended
        }
    }

    private static boolean isIn(Path thread) {
        try {
            String[] fields = KernelText.statFields(KernelText.read(thread.resolve("stat")));
            return fields.length > POLICY && fields[POLICY].equals(Integer.toString(SchedulingClass.EXT));
        } catch (IOException e) {
            return false; // it has ended
        }
    }
}
