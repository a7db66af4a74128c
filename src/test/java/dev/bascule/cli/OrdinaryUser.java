package dev.bascule.cli;

import dev.bascule.ffi.Libc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Runs commands as somebody without privileges: as nobody where the tests run as root, else as who runs them. */
final class OrdinaryUser {
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
    private static final long PATIENCE_SECONDS = 120;

    private final Path folder;
    private final List<String> prefix;
    private final String classPath;

    private OrdinaryUser(Path folder, List<String> prefix, String classPath) {
        this.folder = folder;
        this.prefix = prefix;
        this.classPath = classPath;
    }

    /**
     * Skips the test by name where nobody else can be had.
     *
     * @param folder an empty one, which becomes readable for everybody
     */
    static OrdinaryUser in(Path folder) throws IOException {
        if (Libc.effectiveUserId() != 0) {
            return new OrdinaryUser(folder, List.of(), System.getProperty("java.class.path"));
        }
        Assumptions.assumeTrue(Files.isExecutable(SETPRIV), "root without setpriv cannot become somebody else: apt-get"
                + " install util-linux");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new OrdinaryUser(folder, List.of(SETPRIV.toString(), "--reuid=65534", "--regid=65534", "--clear-groups"),
                readableClassPath(folder));
    }

    /** The program and its libraries, copied to where every user may read them. */
    private static String readableClassPath(Path folder) throws IOException {
        List<String> copies = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":")) {
            Path from = Path.of(entry);
            String name = String.valueOf(from.getFileName());
            boolean program = Files.isRegularFile(from.resolve("dev/bascule/cli/Main.class"));
            if (program || name.matches("(bascule|picocli|snakeyaml|jspecify|rocksdbjni).*\\.jar")) {
                Path to = folder.resolve("copy-" + copies.size() + "-" + name);
                try (Stream<Path> files = Files.walk(from)) {
                    for (Path file : files.toList()) {
                        Files.copy(file, to.resolve(from.relativize(file).toString()));
                    }
                }
                copies.add(to.toString());
            }
        }
        return String.join(":", copies);
    }

    /** A user like this one, whose copy of the program lacks a library. */
    OrdinaryUser without(String library) {
        return new OrdinaryUser(folder, prefix, Arrays.stream(classPath.split(":"))
                .filter(entry -> !String.valueOf(Path.of(entry).getFileName()).contains(library))
                .collect(Collectors.joining(":")));
    }

    /** Runs a command to its end. */
    Cli run(String... arguments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(prefix);
        words.addAll(Cli.command(List.of(), arguments));
        words.set(words.indexOf("-cp") + 1, classPath);
        Path out = Files.createTempFile("user-out", ".txt");
        Path err = Files.createTempFile("user-err", ".txt");
        try {
            Process process = new ProcessBuilder(words).directory(folder.toFile())
                    .redirectInput(Path.of("/dev/null").toFile()).redirectOutput(out.toFile())
                    .redirectError(err.toFile()).start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(List.of(arguments) + " did not end\n" + Files.readString(err));
            }
            return new Cli(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
