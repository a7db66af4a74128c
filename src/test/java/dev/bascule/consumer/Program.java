package dev.bascule.consumer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a program that has ended printed. */
record Program(int status, String out, String err) {
    private static final long PATIENCE_SECONDS = 600;

    /** Runs it with this JVM's JDK as its Java, and the Maven that runs the tests as its Maven. */
    static Program run(Path folder, List<String> words) throws IOException, InterruptedException {
        Path out = Files.createTempFile("out", ".txt");
        Path err = Files.createTempFile("err", ".txt");
        try {
            ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile())
                    .redirectInput(Path.of("/dev/null").toFile()).redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            Map<String, String> environment = builder.environment();
            environment.put("MVN", System.getProperty("bascule.maven", "mvn"));
            environment.put("JAVA_HOME", System.getProperty("java.home"));
            environment.keySet().removeIf(name -> name.matches("MAVEN_.*|JDK_JAVA_OPTIONS|JAVA_TOOL_OPTIONS"));
            Process process = builder.start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new AssertionError(
                        words + " did not end within " + PATIENCE_SECONDS + " s\n" + Files.readString(err));
            }
            return new Program(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    static Program java(Path folder, String... words) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(tool("java")));
        all.addAll(List.of(words));
        return run(folder, all);
    }

    /** A program of this JVM's JDK. */
    static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }
}
