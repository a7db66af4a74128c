package dev.bascule.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command line in a process of its own, in the virtual machine. */
public record LabCli(int status, String out, String err) {
    private static final long PATIENCE_SECONDS = 90;

    /** Runs a command to its end. */
    public static LabCli call(String... arguments) throws IOException, InterruptedException {
        Process process = start("dev.bascule.cli.Main", arguments);
        StringBuilder err = new StringBuilder();
        Thread reader = Thread.ofPlatform().daemon().start(() -> err.append(all(process.errorReader())));
        String out = all(process.inputReader());
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(List.of(arguments) + " did not end: " + out + err);
        }
        reader.join();
        return new LabCli(process.exitValue(), out, err.toString());
    }

    /** Starts a class with a main method as this JVM was started, with the same cache of classes. */
    public static Process start(String main, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                        "-Xmx192m", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED"));
        String cache = System.getProperty("bascule.aot", "");
        if (!cache.isEmpty()) {
            words.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off,cds*=off"));
        }
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words).redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                .start();
    }

    private static String all(BufferedReader reader) {
        StringBuilder text = new StringBuilder();
        try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                text.append(line).append('\n');
            }
        } catch (IOException e) {
            text.append(e.getMessage());
        }
        return text.toString();
    }
}
