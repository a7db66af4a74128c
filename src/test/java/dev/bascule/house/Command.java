package dev.bascule.house;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs one program to its end, without standard input, with the environment it is given and nothing else. */
record Command(int status, String out, String err) {
    private static final long PATIENCE_SECONDS = 120;

    static Command run(Path folder, Map<String, String> environment, List<String> words)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("out", ".txt");
        Path err = Files.createTempFile("err", ".txt");
        try {
            ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile())
                    .redirectInput(Path.of("/dev/null").toFile()).redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new AssertionError(
                        words + " did not end within " + PATIENCE_SECONDS + " s\n" + Files.readString(err));
            }
            return new Command(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    static Command java(String... words) throws IOException, InterruptedException {
        List<String> all = new java.util.ArrayList<>();
        all.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        all.addAll(List.of(words));
        return run(House.BASE, Map.of(), all);
    }
}
