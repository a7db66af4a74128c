package dev.bascule.doctor;

import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.Libc;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Where {@code doctor} looks: this machine, or a tree of files that stands for one.
 *
 * @param proc usually {@code /proc}
 * @param sys usually {@code /sys}
 * @param dev usually {@code /dev}
 * @param searchPath folders of programs
 * @param temporary folder for temporary files
 * @param userId effective user
 */
public record Machine(Path proc, Path sys, Path dev, List<Path> searchPath, Path temporary, int userId) {
    /** Machine that this process runs on. */
    public static Machine real() {
        String search = System.getenv("PATH");
        List<Path> folders = search == null
                ? List.of()
                : Arrays.stream(search.split(":")).filter(folder -> !folder.isEmpty()).map(Path::of).toList();
        return new Machine(Path.of("/proc"), Path.of("/sys"), Path.of("/dev"), folders,
                Path.of(System.getProperty("java.io.tmpdir")), Libc.effectiveUserId());
    }

    boolean isRoot() {
        return userId == 0;
    }

    /** Prefix that a command needs to change the system: {@code "sudo "}, or nothing for root. */
    String sudo() {
        return isRoot() ? "" : "sudo ";
    }

    /** The command that writes a value to a file of the kernel. */
    String write(String value, String file) {
        return "echo " + value + " | " + sudo() + "tee " + file;
    }

    /** Text of a file without the blanks around it; empty when it cannot be read. */
    public static String text(Path file) {
        try {
            return KernelText.read(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** A whole number in a file; -1 when there is none. */
    static long number(Path file) {
        try {
            return Long.parseLong(text(file));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** The rest of the line that begins with a word; empty when there is none. */
    static String line(Path file, String start) {
        return KernelText.lines(text(file)).stream().filter(line -> line.startsWith(start)).findFirst()
                .map(line -> line.substring(start.length()).strip()).orElse("");
    }

    /** Names in a folder, sorted; none when there is no such folder. */
    public static List<String> names(Path folder) {
        List<String> names = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
                entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
            } catch (IOException e) {
                return List.of();
            }
        }
        names.sort(null);
        return names;
    }

    /** Where a program is, if it can be started by its name. */
    Optional<Path> program(String name) {
        return searchPath.stream().map(folder -> folder.resolve(name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file)).findFirst();
    }
}
