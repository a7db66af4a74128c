package dev.bascule.ffi;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Compiles and runs a C program of {@code native/conformance}; without a compiler the test is skipped by name. */
public final class ConformanceProbe {
    private ConformanceProbe() {}

    /** Lines the program prints, each split at spaces. */
    public static List<String[]> run(String source, Path folder) throws IOException, InterruptedException {
        return run(Path.of("native", "conformance", source).toAbsolutePath(), folder.resolve(source + ".probe"));
    }

    /** Lines of a program elsewhere, which is compiled beside its source and gets words. */
    public static List<String[]> run(Path source, String... words) throws IOException, InterruptedException {
        return run(source, source.resolveSibling(source.getFileName() + ".probe"), words);
    }

    private static List<String[]> run(Path file, Path program, String... words)
            throws IOException, InterruptedException {
        Path source = file.getFileName();
        String compiler = compiler()
                .orElseGet(() -> abort(source + ": no C compiler (cc, gcc, clang) on PATH: sudo apt-get install gcc"));
        Output compiled = run(compiler, "-O2", "-o", program.toString(), file.toString());
        if (compiled.text.contains("bascule: linux/vfio.h is older") || compiled.text.contains("No such file")) {
            abort(source + " cannot be compiled with the headers of this machine: "
                    + compiled.text.lines().findFirst());
        }
        if (compiled.status != 0) {
            throw new AssertionError(source + " does not compile:\n" + compiled.text);
        }
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(words));
        Output printed = run(command.toArray(String[]::new));
        if (printed.status != 0) {
            throw new AssertionError(source + " ended with " + printed.status + ": " + printed.text);
        }
        return printed.text.lines().map(line -> line.split(" ")).toList();
    }

    private static Optional<String> compiler() {
        String[] folders = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator);
        return List.of("cc", "gcc", "clang").stream()
                .flatMap(name -> Arrays.stream(folders).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable).map(Path::toString).findFirst();
    }

    private record Output(int status, String text) {}

    private static Output run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("no end: " + String.join(" ", command));
        }
        return new Output(process.exitValue(), text);
    }
}
