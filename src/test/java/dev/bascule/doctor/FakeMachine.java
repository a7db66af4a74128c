package dev.bascule.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A tree of files that stands for a machine; nothing but an empty /dev/shm at first. */
final class FakeMachine {
    final Path root;

    FakeMachine(Path root) throws IOException {
        this.root = root;
        folder("dev/shm");
        folder("tmp");
        file("proc/sys/kernel/osrelease", "6.1.0-test\n");
        file("proc/meminfo", "MemTotal:        8000000 kB\nMemAvailable:    4194304 kB\n");
        file("proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units     \n"
                + "Max locked memory         8388608              8388608              bytes     \n");
        file("proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000\n");
    }

    Path folder(String path) throws IOException {
        return Files.createDirectories(root.resolve(path));
    }

    Path file(String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    void program(String name) throws IOException {
        if (!file("bin/" + name, "#!/bin/sh\n").toFile().setExecutable(true)) {
            throw new IOException("cannot make " + name + " executable");
        }
    }

    void pages(String kib, int free, int all) throws IOException {
        String folder = "sys/kernel/mm/hugepages/hugepages-" + kib + "kB/";
        file(folder + "nr_hugepages", all + "\n");
        file(folder + "free_hugepages", free + "\n");
    }

    Machine as(int userId) {
        return new Machine(root.resolve("proc"), root.resolve("sys"), root.resolve("dev"), List.of(root.resolve("bin")),
                root.resolve("tmp"), userId);
    }

    static Finding named(List<Finding> findings, String name) {
        return findings.stream().filter(finding -> finding.name().equals(name)).findFirst()
                .orElseThrow(() -> new AssertionError("no finding called " + name + " in " + findings));
    }
}
