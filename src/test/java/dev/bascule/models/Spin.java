package dev.bascule.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.models.ModelRun.Verdict;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Checks Promela models with SPIN: makes the checker, compiles and runs it, and compares its verdict. */
final class Spin {
    static final String SAFETY = "-DSAFETY";
    private static final long TIMEOUT_SECONDS = 3600;

    private Spin() {}

    /** A run: model, macros, options of the C compiler and of the generated checker. */
    record Run(String name, Verdict expected, String model, String macros, String compile, String pan) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Run ok(String name, String model, String macros) {
        return new Run(name, Verdict.OK, model, macros, SAFETY, "");
    }

    static Run bad(String name, String model, String macros) {
        return new Run(name, Verdict.VIOLATED, model, macros, SAFETY, "");
    }

    /** Before each: a run that is skipped is counted and named. */
    static void assumeInstalled() {
        for (String tool : List.of("spin", "gcc")) {
            assumeTrue(installed(tool), tool + " is not installed: apt-get install " + tool);
        }
    }

    static void check(Run run, Path directory) {
        ModelRun.copy(run.model(), directory);
        String out = step(directory, "spin", "-a " + run.macros() + " " + run.model());
        out += step(directory, "gcc",
                "-O2 -w " + run.compile() + " -DVECTORSZ=4096 -DMEMLIM=6000 -DCOLLAPSE -o pan pan.c");
        assertThat(directory.resolve("pan")).as(out).exists();
        out += step(directory, "./pan", "-m5000000 " + run.pan());
        System.out.println(run + ": " + verdict(out) + states(out));
        assertThat(verdict(out)).as(out).isEqualTo(run.expected());
    }

    private static String step(Path directory, String program, String options) {
        List<String> command = new ArrayList<>();
        command.add(program.startsWith("./") ? directory.resolve(program.substring(2)).toString() : program);
        Stream.of(options.split(" ")).filter(o -> !o.isEmpty()).forEach(command::add);
        return ModelRun.run(directory, program.replace("./", "") + ".txt", TIMEOUT_SECONDS, command);
    }

    private static Verdict verdict(String out) {
        return out.contains("errors: 0") ? Verdict.OK : out.contains("errors: 1") ? Verdict.VIOLATED : Verdict.UNKNOWN;
    }

    private static String states(String out) {
        return out.lines().filter(l -> l.contains("states, stored")).findFirst().map(l -> ", " + l.strip()).orElse("");
    }

    private static boolean installed(String tool) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(d -> Files.isExecutable(Path.of(d, tool)));
    }
}
