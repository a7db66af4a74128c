package dev.bascule.cli;

import dev.bascule.run.Errors;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Hands over to the benchmark program where it is on the class path; it is not part of the jar. */
@Command(name = "bench", mixinStandardHelpOptions = true, description = {
        "Runs the benchmarks, each row of Java beside its C twin, with the arguments given.",
        "They are built with the tests and not part of the jar; without them this names the command (exit status 2)." }, footer = {
                "", "Examples:", "  scripts/bench", "  scripts/bench --json" })
final class BenchCommand extends CommandBase {
    private static final String PROGRAM = "dev.bascule.bench.Main";

    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        Class<?> program;
        try {
            program = Class.forName(PROGRAM);
        } catch (ClassNotFoundException e) {
            System.err.println("bascule: the benchmarks are not part of this program; run: " + command());
            return Errors.USAGE;
        }
        try {
            program.getMethod("main", String[].class).invoke(null, (Object) arguments.toArray(String[]::new));
            return 0;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    private String command() {
        String home = System.getProperty("bascule.home", "");
        List<String> words = new ArrayList<>(List.of(home.isEmpty() ? "scripts/bench" : home + "/scripts/bench"));
        words.addAll(arguments);
        return String.join(" ", words);
    }
}
