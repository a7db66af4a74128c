package dev.bascule.consumer;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The artefact as {@code mvn install} leaves it, in a repository of its own. */
final class Installed {
    static final Path BASE = Path.of(System.getProperty("bascule.baseDirectory", "")).toAbsolutePath();
    static final Path JAR = Path.of(System.getProperty("bascule.buildDirectory", "target")).toAbsolutePath()
            .resolve("bascule.jar");

    private static final String VERSION = "0.1.0-SNAPSHOT";

    private Installed() {}

    /**
     * Makes a repository with jar and POM. Everything else is what this build has resolved itself: links to it, so that the
     * user's build is offline and writes nothing where others look.
     */
    static Path repository(Path folder) throws IOException {
        Path usual = usual();
        link(usual, folder, "dev");
        Path dev = Files.createDirectories(folder.resolve("dev"));
        if (Files.isDirectory(usual.resolve("dev"))) {
            link(usual.resolve("dev"), dev, "bascule");
        }
        Path artefact = Files.createDirectories(dev.resolve("bascule/bascule/" + VERSION));
        Files.copy(JAR, artefact.resolve("bascule-" + VERSION + ".jar"));
        Files.copy(BASE.resolve("pom.xml"), artefact.resolve("bascule-" + VERSION + ".pom"));
        return folder;
    }

    private static void link(Path from, Path to, String except) throws IOException {
        Files.createDirectories(to);
        try (var entries = Files.list(from)) {
            for (Path entry : entries.toList()) {
                if (!entry.getFileName().toString().equals(except)) {
                    Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
                }
            }
        }
    }

    /** Removes the links, so that nothing follows them. */
    static void unlink(Path folder) throws IOException {
        try (var entries = Files.walk(folder, 2)) {
            for (Path entry : entries.filter(Files::isSymbolicLink).toList()) {
                Files.delete(entry);
            }
        }
    }

    /** The repository that the running tests' libraries lie in. */
    private static Path usual() {
        Path jar = testLibraries().stream()
                .filter(path -> path.getFileName().toString().startsWith("junit-jupiter-api-")).findFirst()
                .orElseThrow();
        return jar.getParent().getParent().getParent().getParent().getParent().getParent();
    }

    /** JUnit's own jars. */
    static List<Path> junit() {
        return testLibraries().stream().filter(
                jar -> jar.getFileName().toString()
                        .matches("(junit-(jupiter|platform)-|opentest4j|apiguardian).*\\.jar"))
                .toList();
    }

    private static List<Path> testLibraries() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(path.split(File.pathSeparator)).filter(entry -> entry.endsWith(".jar")).map(Path::of)
                .toList();
    }
}
