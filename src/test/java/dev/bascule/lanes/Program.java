package dev.bascule.lanes;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A program that a lane starts: without standard input, its output in a log, a line of progress every five seconds. All
 * that still run, and what they started, end with this JVM.
 */
final class Program {
    /** Exit status of a program that is not there, as a shell gives it. */
    static final int NOT_FOUND = 127;

    /** Once true, nothing starts any more. */
    private static volatile boolean ending;
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();
    private static final long STEP_MILLIS = 200;
    private static final long TOLD_EVERY_NANOS = 5_000_000_000L;
    private static final long PATIENCE_SECONDS = 10;

    private final List<String> words;
    private final Path log;
    private final Map<String, String> environment = new HashMap<>();
    private Path folder;
    private boolean echo;
    private boolean append;

    Program(Path folder, Path log, List<String> words) {
        this.folder = folder;
        this.log = log;
        this.words = List.copyOf(words);
    }

    Program in(Path place) {
        folder = place;
        return this;
    }

    Program with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** What it prints goes to standard error, too. */
    Program echo() {
        echo = true;
        return this;
    }

    /** Behind what the log holds. */
    Program append() {
        append = true;
        return this;
    }

    Path log() {
        return log;
    }

    String logged() {
        try {
            return new String(Files.readAllBytes(log), java.nio.charset.StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** The reason, where a program says one and ends. */
    String lastLine() {
        return logged().strip().lines().reduce("it said nothing", (first, second) -> second);
    }

    /** Runs it to its end; returns its exit status. InterruptedException: this JVM ends, and what it says no longer counts. */
    int run(String label, Function<String, String> progress) throws IOException, InterruptedException {
        Process process;
        try {
            process = start();
        } catch (IOException e) { // its folder is there, so it is the program that is not
            Files.writeString(log, e.getMessage() + "\n");
            return NOT_FOUND;
        }
        try {
            long started = System.nanoTime();
            long last = started;
            Thread copy = echo ? Thread.ofVirtual().start(() -> copy(process)) : null;
            while (!process.waitFor(STEP_MILLIS, TimeUnit.MILLISECONDS)) {
                if (!echo && System.nanoTime() - last >= TOLD_EVERY_NANOS) {
                    last = System.nanoTime();
                    System.err.printf("  %s %d s: %s%n", label, (last - started) / 1_000_000_000,
                            progress.apply(logged()));
                }
            }
            if (copy != null) {
                copy.join();
            }
            if (ending) {
                throw new InterruptedException("ended with this JVM");
            }
            return process.exitValue();
        } finally {
            end(process);
        }
    }

    private Process start() throws IOException, InterruptedException {
        Files.createDirectories(log.getParent());
        ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile()).redirectErrorStream(true);
        if (!echo) {
            builder.redirectOutput(append
                    ? ProcessBuilder.Redirect.appendTo(log.toFile())
                    : ProcessBuilder.Redirect.to(log.toFile()));
        }
        builder.environment().putAll(environment);
        synchronized (Program.class) {
            if (ending) {
                throw new InterruptedException("the end of this JVM");
            }
            Process process = builder.start();
            RUNNING.add(process);
            return process;
        }
    }

    private void copy(Process process) {
        try (InputStream in = process.getInputStream();
                OutputStream out = append
                        ? Files.newOutputStream(log, java.nio.file.StandardOpenOption.CREATE,
                                java.nio.file.StandardOpenOption.APPEND)
                        : Files.newOutputStream(log)) {
            byte[] bytes = new byte[8192];
            ByteArrayOutputStream lines = new ByteArrayOutputStream(); // whole ones: others may print beside it
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                out.write(bytes, 0, read);
                int whole = read;
                while (whole > 0 && bytes[whole - 1] != '\n') {
                    whole--;
                }
                lines.write(bytes, 0, whole);
                if (whole > 0) {
                    say(lines);
                }
                lines.write(bytes, whole, read - whole);
            }
            if (lines.size() > 0) {
                say(lines);
            }
        } catch (IOException e) {
            System.err.println("bascule: " + log + ": " + e.getMessage());
        }
    }

    private static void say(ByteArrayOutputStream lines) {
        System.err.write(lines.toByteArray(), 0, lines.size());
        System.err.flush();
        lines.reset();
    }

    /** Ends everything that still runs, gently and then not; for the end of this JVM. */
    static void endAll() {
        synchronized (Program.class) {
            ending = true;
        }
        RUNNING.forEach(Program::end);
    }

    private static void end(Process process) {
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
        if (process.isAlive()) {
            all.forEach(ProcessHandle::destroy);
            try {
                process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            all.forEach(ProcessHandle::destroyForcibly);
        }
        RUNNING.remove(process);
    }
}
