package dev.bascule.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/** The command line, as a process of its own or in this one. */
public record Cli(int status, String out, String err) {
    /** Flags of a JVM whose virtual threads share one carrier, as many of them start in a test. */
    static final List<String> ONE_CARRIER = List.of("-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1");
    private static final long PATIENCE_SECONDS = 120;

    /** In a JVM of its own. */
    public static Cli run(String... arguments) throws IOException, InterruptedException {
        return run(List.of(), arguments);
    }

    public static Cli run(List<String> jvmFlags, String... arguments) throws IOException, InterruptedException {
        return runIn(Path.of(""), jvmFlags, arguments);
    }

    /** The same in another folder. */
    public static Cli runIn(Path folder, List<String> jvmFlags, String... arguments)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("cli-out", ".txt");
        Path err = Files.createTempFile("cli-err", ".txt");
        try {
            Process process = new ProcessBuilder(command(jvmFlags, arguments))
                    .directory(folder.toAbsolutePath().toFile())
                    .redirectInput(Path.of("/dev/null").toFile()).redirectOutput(out.toFile())
                    .redirectError(err.toFile()).start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(List.of(arguments) + " did not end\n" + Files.readString(err));
            }
            return new Cli(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    public static List<String> command(List<String> jvmFlags, String... arguments) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + ShellBlock.ROOT.resolve("scripts/jvm.flags"), "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED"));
        words.addAll(jvmFlags);
        words.addAll(List.of("-cp", PolicyJar.classPath(), "dev.bascule.cli.Main"));
        words.addAll(List.of(arguments));
        return words;
    }

    /** In this JVM: quick, but not for commands that change the process. */
    public static Cli call(String... arguments) {
        return call(Main.commandLine(), arguments);
    }

    /** The same without the other commands, as a process of its own does it: on a slow machine they take long. */
    public static Cli callOne(String... arguments) {
        return call(Main.commandLine(arguments), arguments);
    }

    private static Cli call(CommandLine line, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        int status = Main.execute(line, arguments);
        return new Cli(status, out.toString(), err.toString());
    }
}
