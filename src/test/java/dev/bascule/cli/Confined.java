package dev.bascule.cli;

import dev.bascule.ffi.Libc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Runs commands as processes of their own under limits, and with mounts that they alone see. */
final class Confined {
    private static final long PATIENCE_SECONDS = 120;

    private final Path folder;
    private final List<String> prefix;
    private final String before;

    private Confined(Path folder, List<String> prefix, String before) {
        this.folder = folder;
        this.prefix = prefix;
        this.before = before;
    }

    /**
     * Under a limit of the shell.
     *
     * @param folder for its temporary files
     * @param limit such as {@code ulimit -n 32}
     */
    static Confined by(Path folder, String limit) {
        return new Confined(folder, List.of(), limit);
    }

    /** With mounts; the test is skipped by name where none can be made. */
    static Confined with(Path folder, String mounts) throws IOException, InterruptedException {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "mounts of a process's own need root: sudo scripts/test");
        List<String> unshare = List.of("unshare", "-m");
        Confined tried = new Confined(folder, unshare, "mount -t tmpfs -o size=64k tmpfs " + folder);
        Assumptions.assumeTrue(tried.bash("true").status() == 0, "this sandbox allows no mounts: unshare -m, mount");
        return new Confined(folder, unshare, mounts);
    }

    Cli run(String... arguments) throws IOException, InterruptedException {
        return bash("exec '" + String.join("' '", Cli.command(List.of("-Djava.io.tmpdir=" + folder,
                "-XX:ErrorFile=" + folder + "/hs_err.log"), arguments)) + "'");
    }

    private Cli bash(String command) throws IOException, InterruptedException {
        Path out = Files.createTempFile("confined-out", ".txt");
        Path err = Files.createTempFile("confined-err", ".txt");
        try {
            List<String> words = new ArrayList<>(prefix);
            words.addAll(List.of("bash", "-c", "ulimit -c 0; " + before + " && " + command));
            Process process = new ProcessBuilder(words).redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(out.toFile()).redirectError(err.toFile()).start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(before + ": " + command + " did not end\n" + Files.readString(err));
            }
            return new Cli(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
