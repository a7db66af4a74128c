package dev.bascule.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts JVMs to measure in. */
final class Forks {
    /**
     * A session of its own with the highest autogroup priority: with scheduler autogroups, {@code nice} alone does
     * nothing against the load of another login. Starves everything else on a small machine, so only on request.
     */
    private static final List<String> BOOST = List.of("setsid", "-w", "sh", "-c",
            "echo -20 2>/dev/null >/proc/self/autogroup; exec \"$@\"", "sh");

    private Forks() {}

    /** A command line for a JVM with this program's class path. */
    static List<String> java(List<String> options, String mainClass, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-Xms128m", "-Xmx256m", "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Runs {@code command}; returns its standard output by line.
     *
     * @throws ForkFailedException if it fails or takes longer than {@code limitSeconds}
     */
    static List<String> run(List<String> command, Session session, long limitSeconds)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(session.boost() ? BOOST : List.of());
        all.addAll(command);
        Path output = Files.createTempFile(session.work(), "fork", ".out");
        Path errors = Files.createTempFile(session.work(), "fork", ".err");
        Process process = new ProcessBuilder(all).redirectOutput(output.toFile()).redirectError(errors.toFile())
                .start();
        if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            throw new ForkFailedException("took longer than " + limitSeconds + " s and was stopped");
        }
        if (process.exitValue() != 0) {
            List<String> said = Files.readAllLines(errors).stream().filter(l -> !l.startsWith("WARNING")).toList();
            throw new ForkFailedException(
                    "status " + process.exitValue() + (said.isEmpty() ? "" : ": " + said.get(0)));
        }
        return Files.readAllLines(output);
    }

    /** A measuring process that did not end well. */
    static final class ForkFailedException extends IOException {
        private static final long serialVersionUID = 1L;

        ForkFailedException(String message) {
            super("measuring process: " + message);
        }
    }
}
