package dev.bascule.run;

import dev.bascule.ffi.HeldProcess;
import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Processes that are managed: those named, those of cgroups, and the program with all that it has started. One thread.
 */
public final class TierTargets implements Supplier<Set<Integer>>, AutoCloseable {
    /** File of a cgroup with its processes. */
    public static final String MEMBERS = "cgroup.procs";

    private final List<HeldProcess> named;
    private final List<Path> groups;
    private @Nullable Process program;

    /** Targets: processes by number, and those of control groups. */
    public TierTargets(List<Integer> named, List<Path> groups) {
        this.named = named.stream().flatMap(pid -> Stream.ofNullable(HeldProcess.open(pid))).toList();
        this.groups = groups;
    }

    void program(Process started) {
        program = started;
    }

    @Override
    public Set<Integer> get() {
        Set<Integer> all = new HashSet<>();
        named.stream().filter(HeldProcess::isAlive).forEach(one -> all.add(one.pid()));
        if (program != null && program.isAlive()) {
            all.add((int) program.pid());
            program.descendants().forEach(child -> all.add((int) child.pid()));
        }
        for (Path group : groups) {
            try {
                KernelText.lines(group.resolve(MEMBERS)).forEach(line -> all.add(Integer.parseInt(line)));
            } catch (IOException e) {
                continue; // the group is gone
            }
        }
        all.removeIf(pid -> !Files.exists(Path.of("/proc", pid.toString())));
        return all;
    }

    @Override
    public void close() {
        named.forEach(HeldProcess::close);
    }
}
