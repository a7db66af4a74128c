package dev.bascule.host.scx;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.SchedulingClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Moves threads that run already into the class that is ruled, and back at the end. What they start afterwards is in it by
 * itself; threads that come into a cgroup from elsewhere are found by {@link #look}.
 * <p>
 * Thread rule: one thread.
 */
public final class RuledTasks implements AutoCloseable {
    private static final int ROUNDS = 100;

    private final Path proc;
    private final List<Long> processes;
    private final List<Path> groups;
    private final Set<Integer> moved = new HashSet<>();

    /**
     * Nothing is moved yet.
     *
     * @param processes their threads are ruled
     * @param groups folders of cgroups, whose processes are, and those of the groups below
     */
    public RuledTasks(List<Long> processes, List<Path> groups) {
        this(Path.of("/proc"), processes, groups);
    }

    RuledTasks(Path proc, List<Long> processes, List<Path> groups) {
        this.proc = proc;
        this.processes = List.copyOf(processes);
        this.groups = List.copyOf(groups);
    }

    /**
     * Moves the threads that are there now; again and again, until no new one shows.
     *
     * @throws IllegalArgumentException if there is no such process or group
     */
    public void begin() {
        for (long process : processes) {
            if (!Files.isDirectory(proc.resolve(Long.toString(process)))) {
                throw new IllegalArgumentException("there is no process " + process);
            }
            if (process == ProcessHandle.current().pid()) {
                throw new IllegalArgumentException(
                        "process " + process + " is this command itself, which cannot rule its"
                                + " own threads");
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
        for (long process : processes) {
            moveThreads(process);
        }
        for (Path group : groups) {
            for (long process : members(group)) {
                moveThreads(process);
            }
        }
    }

    private static List<Long> members(Path group) {
        try (Stream<Path> folders = Files.walk(group)) {
            return folders.filter(Files::isDirectory).flatMap(folder -> lines(folder.resolve("cgroup.procs")))
                    .map(Long::valueOf).filter(process -> process != ProcessHandle.current().pid()).toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of(); // a group has gone meanwhile: the next look has the others
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream().filter(line -> !line.isBlank());
        } catch (IOException e) {
            return Stream.of();
        }
    }

    private void moveThreads(long process) {
        try (Stream<Path> threads = Files.list(proc.resolve(process + "/task"))) {
            threads.map(thread -> Integer.parseInt(String.valueOf(thread.getFileName()))).forEach(this::move);
        } catch (IOException e) {
            return; // it has ended
        }
    }

    private void move(int thread) {
        try {
            if (SchedulingClass.of(thread) == SchedulingClass.OTHER) {
                SchedulingClass.set(thread, SchedulingClass.EXT, 0);
                moved.add(thread);
            }
        } catch (NativeException e) {
            if (e.errno() != Errno.ESRCH) { // else it has ended
                throw e;
            }
        }
    }

    /** How many were moved so far. */
    public int count() {
        return moved.size();
    }

    /** Whether one of the processes lives, or there is a group. */
    public boolean isWorthwhile() {
        return !groups.isEmpty()
                || processes.stream().anyMatch(process -> Files.isDirectory(proc.resolve(Long.toString(process))));
    }

    /** Moves everything back that is there now, also what has been started meanwhile. */
    @Override
    public void close() {
        Set<Integer> all = new HashSet<>(moved);
        for (int thread : all) {
            back(thread);
        }
        for (long process : processes) {
            backThreads(process);
        }
        for (Path group : groups) {
            members(group).forEach(this::backThreads);
        }
    }

    private void backThreads(long process) {
        try (Stream<Path> threads = Files.list(proc.resolve(process + "/task"))) {
            threads.map(thread -> Integer.parseInt(String.valueOf(thread.getFileName()))).forEach(RuledTasks::back);
        } catch (IOException e) {
            return; // it has ended
        }
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
