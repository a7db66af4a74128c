package dev.bascule.models;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a model checker as a process and keeps what it says. */
final class ModelRun {
    /** OK = holds, VIOLATED = a counterexample was found, UNKNOWN = the checker failed or was not done in time. */
    enum Verdict {
        OK, VIOLATED, UNKNOWN
    }

    private ModelRun() {}

    /** Copies a model from the test resources into a directory. */
    static Path copy(String name, Path directory) {
        try (InputStream in = ModelRun.class.getResourceAsStream("/models/" + name)) {
            if (in == null) {
                throw new IllegalStateException("no model " + name + " in the test resources");
            }
            Path file = directory.resolve(name);
            Files.copy(in, file);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command in a directory; the output, standard error included, is in {@code log} there. */
    static String run(Path directory, String log, long timeoutSeconds, List<String> command) {
        Path out = directory.resolve(log);
        try {
            Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
                    .redirectOutput(out.toFile()).start();
            Thread atExit = new Thread(process::destroyForcibly);
            Runtime.getRuntime().addShutdownHook(atExit);
            boolean done = process.waitFor(timeoutSeconds, TimeUnit.SECONDS);
            process.destroyForcibly().waitFor();
            Runtime.getRuntime().removeShutdownHook(atExit);
            return Files.readString(out) + (done ? "" : "\nnot done in " + timeoutSeconds + " s: " + command);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command, e);
        }
    }
}
