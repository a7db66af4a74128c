package dev.bascule.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Where things are: the clone, the build folder, the source files. */
final class House {
    static final Path BASE = Path.of(System.getProperty("bascule.baseDirectory", "")).toAbsolutePath();
    static final Path BUILD = Path.of(System.getProperty("bascule.buildDirectory", BASE.resolve("target").toString()));
    static final Path MAIN = BASE.resolve("src/main/java");
    static final String GENERATED = "dev/bascule/ffi/generated/";

    private House() {}

    /** All regular files below a folder of the clone whose name ends so; none when the folder does not exist. */
    static List<Path> files(String folder, String... endings) {
        Path root = BASE.resolve(folder);
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        try (Stream<Path> walk = Files.walk(root)) {
            return walk.filter(Files::isRegularFile).filter(f -> endsWithOneOf(f, endings)).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean isGenerated(Path file) {
        return relative(file).contains(GENERATED);
    }

    /** The path as it is written in lists and messages: from the top of the clone, with slashes. */
    static String relative(Path file) {
        return BASE.relativize(file.toAbsolutePath()).toString().replace('\\', '/');
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A checked-in list: one entry per line; what follows # is the reason and is required for every entry. */
    static Set<String> allowed(String name) {
        Set<String> entries = new LinkedHashSet<>();
        for (String line : read(BASE.resolve("src/test/resources/dev/bascule/house").resolve(name)).lines().toList()) {
            String entry = line.replaceFirst("#.*", "").strip();
            if (entry.isEmpty()) {
                continue;
            }
            if (!line.contains("#")) {
                throw new AssertionError(name + ": no reason is given for " + entry);
            }
            entries.add(entry);
        }
        return entries;
    }

    private static boolean endsWithOneOf(Path file, String[] endings) {
        return endings.length == 0 || Stream.of(endings).anyMatch(file.getFileName().toString()::endsWith);
    }
}
