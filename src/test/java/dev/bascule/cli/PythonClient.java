package dev.bascule.cli;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The client in Python: {@code src/test/resources/rpc/client.py}. */
public final class PythonClient {
    private PythonClient() {}

    /** Whether there is a Python to run it. */
    public static boolean isHere() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "python3")));
    }

    /** Runs it; returns its lines. */
    static List<String> run(String... arguments) throws IOException, InterruptedException {
        return script("client.py", arguments);
    }

    /** Runs a script of {@code src/test/resources/rpc}; returns its lines. */
    public static List<String> script(String name, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("python3", "-"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PYTHONIOENCODING", "utf-8");
        Process process = builder.start();
        try (InputStream script = PythonClient.class.getResourceAsStream("/rpc/" + name)) {
            script.transferTo(process.getOutputStream());
            process.getOutputStream().close();
        }
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
                .toList();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the Python client did not end: " + lines);
        }
        return lines;
    }

    /** What it prints when all is well. */
    static List<String> expected(int port) {
        return List.of("port " + port, "sum 42", "greeting Hello, Grüezi!", "echo True", "no such procedure 3",
                "no such program 1", "wrong arguments 4");
    }
}
