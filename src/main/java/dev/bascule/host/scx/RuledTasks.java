package dev.bascule.host.scx;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.SchedulingClass;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Moves threads that run already into the class that is ruled, and back at the end. What they start afterwards is in it by
 * itself; threads that come into a cgroup from elsewhere are found by {@link #look}. Of a group, this process' own threads and
 * what it has started itself stay where they are: its agent is among them, which nobody else would let run in time.
 * <p>
 * Thread rule: one thread.
 */
public final class RuledTasks implements AutoCloseable {
    private static final Path PROC = Path.of("/proc");
    private static final int ROUNDS = 100;
    private static final long OWN = ProcessHandle.current().pid();
    private static final Pattern OWNER = Pattern.compile("(Tgid|PPid):\\s*" + OWN);

    private final List<Long> numbers;
    /** They know when their process started: its number may be another's later. */
    private final List<ProcessHandle> processes;
    private final List<Path> groups;
    private final Set<Integer> moved = new HashSet<>();

    /**
     * Nothing is moved yet.
     *
     * @param processes their threads are ruled
     * @param groups folders of cgroups, whose threads are, and those of the groups below
     */
    public RuledTasks(List<Long> processes, List<Path> groups) {
        numbers = List.copyOf(processes);
        this.processes = numbers.stream().flatMap(number -> ProcessHandle.of(number).stream()).toList();
        this.groups = List.copyOf(groups);
    }

    /**
     * Moves the threads that are there now; again and again, until no new one shows.
     *
     * @throws IllegalArgumentException if there is no such process or group
     */
    public void begin() {
        for (long number : numbers) {
            if (processes.stream().noneMatch(process -> process.pid() == number && process.isAlive())) {
                throw new IllegalArgumentException("there is no process " + number);
            }
            if (number == OWN) {
                throw new IllegalArgumentException(
                        "process " + number + " is this command itself, which cannot rule its own threads");
            }
        }
        for (Path group : groups) {
            if (!Files.exists(group.resolve("cgroup.procs"))) {
                throw new IllegalArgumentException(group + " is no cgroup (version 2): it has no file cgroup.procs");
            }
        }
        int before;
        int rounds = 0;
        do {
            before = moved.size();
            look();
        } while (moved.size() > before && ++rounds < ROUNDS);
    }

    /** Moves those that have come since. */
    public void look() {
        for (ProcessHandle process : processes) {
            threadsOf(process).forEach(thread -> move(thread, false));
        }
        for (Path group : groups) {
            threadsIn(group).forEach(thread -> move(thread, true));
        }
    }

    private static List<Integer> threadsOf(ProcessHandle process) {
        if (!process.isAlive()) {
            return List.of();
        }
        try (Stream<Path> threads = Files.list(PROC.resolve(process.pid() + "/task"))) {
            return threads.map(thread -> Integer.valueOf(String.valueOf(thread.getFileName()))).toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // it has ended
        }
    }

    /** By its threads and not by its processes, which a group of threads does not say. */
    private static List<Integer> threadsIn(Path group) {
        try (Stream<Path> folders = Files.walk(group)) {
            return folders.filter(Files::isDirectory).flatMap(folder -> lines(folder.resolve("cgroup.threads")))
                    .map(Integer::valueOf).filter(thread -> thread > 0).toList(); // 0: of another namespace
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // a group has gone meanwhile: the next look has the others
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return KernelText.lines(file).stream().filter(line -> !line.isBlank());
        } catch (IOException e) {
            return Stream.of();
        }
    }

    private void move(int thread, boolean isOfGroup) {
        try {
            if (SchedulingClass.of(thread) == SchedulingClass.OTHER && !(isOfGroup && isOurs(thread))) {
                SchedulingClass.set(thread, SchedulingClass.EXT, 0);
                moved.add(thread);
            }
        } catch (NativeException e) {
            if (e.errno() != Errno.ESRCH) { // else it has ended
                throw e;
            }
        }
    }

    private static boolean isOurs(int thread) {
        return lines(PROC.resolve(thread + "/status")).anyMatch(line -> OWNER.matcher(line).matches());
    }

    /** How many were moved so far. */
    public int count() {
        return moved.size();
    }

    /** Whether one of the processes lives, or there is a group. */
    public boolean isWorthwhile() {
        return !groups.isEmpty() || processes.stream().anyMatch(ProcessHandle::isAlive);
    }

    /** Moves everything back that is there now, also what has been started meanwhile. */
    @Override
    public void close() {
        Set<Integer> all = new HashSet<>(moved);
        for (ProcessHandle process : processes) {
            all.addAll(threadsOf(process));
        }
        for (Path group : groups) {
            all.addAll(threadsIn(group));
        }
        all.forEach(RuledTasks::back);
    }

    private static void back(int thread) {
        try {
            if (SchedulingClass.of(thread) == SchedulingClass.EXT) {
                SchedulingClass.set(thread, SchedulingClass.OTHER, 0);
            }
        } catch (NativeException e) {
            return; // it has ended, or its number is another's by now
        }
    }
}
