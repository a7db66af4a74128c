package dev.bascule.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is run under each scheduler by {@link KernelLabMain}: programs of others, and native/lab/work.c. */
final class KernelSteps {
    private static final Pattern TIME = Pattern.compile("Time: ([\\d.]+)");
    private static final Pattern OPS = Pattern.compile("cpu\\s+\\d+\\s+[\\d.]+\\s+[\\d.]+\\s+[\\d.]+\\s+([\\d.]+)");
    private static final int LINE = 64;
    private static final int SECONDS = 3;
    private static final long PATIENCE_SECONDS = 300;

    /** One row. A rate is the better the higher it is, a time the lower. */
    enum Step {
        SWITCHES("8 threads that yield", "yields/s", true), WAKE_UPS("64 threads that sleep 2 ms", "wake-ups/s",
                true), HACKBENCH("hackbench -g 2 -f 5 -l 300", "s", false), STRESS("stress-ng --cpu 4", "ops/s",
                        true), COMPILE("3 compilations by cc -O2", "s", false);

        final String text;
        final String unit;
        final boolean isRate;

        Step(String text, String unit, boolean isRate) {
            this.text = text;
            this.unit = unit;
            this.isRate = isRate;
        }
    }

    private final Path home;
    private final Path scratch;

    /** @param home the clone, with target/native as scripts/lab-scx prepares it */
    KernelSteps(Path home, Path scratch) {
        this.home = home;
        this.scratch = scratch;
    }

    /** In the step's unit. */
    double run(Step step, KernelRuler.Rule rule) throws IOException, InterruptedException {
        return switch (step) {
            case SWITCHES -> rounds(rule, "8", "0", "-1");
            case WAKE_UPS -> rounds(rule, "64", "50", "2000");
            case HACKBENCH -> number(TIME, output(rule, program("hackbench", "-g", "2", "-f", "5", "-l", "300")));
            case STRESS -> number(OPS, output(rule,
                    program("stress-ng", "--cpu", "4", "--timeout", Integer.toString(SECONDS), "--metrics-brief",
                            "--temp-path", scratch.toString())));
            case COMPILE -> {
                long start = System.nanoTime();
                output(rule, List.of("sh", "-c", "for one in work meddle storm; do cc -O2 -c -o " + scratch + "/$one.o "
                        + home + "/native/lab/$one.c & done; wait"));
                yield (System.nanoTime() - start) / 1e9;
            }
        };
    }

    private double rounds(KernelRuler.Rule rule, String threads, String micros, String wait)
            throws IOException, InterruptedException {
        Path counters = scratch.resolve("counters");
        output(rule, List.of(home.resolve("target/native/work").toString(), counters.toString(), "threads", threads,
                micros, wait, Integer.toString(SECONDS)));
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(counters)).order(ByteOrder.LITTLE_ENDIAN);
        double sum = 0;
        for (int at = 0; at < all.capacity(); at += LINE) {
            sum += all.getLong(at);
        }
        return sum / SECONDS;
    }

    private List<String> program(String name, String... arguments) {
        Path root = home.resolve("target/native/programs/usr");
        Path fetched = root.resolve("bin").resolve(name);
        List<String> words = new ArrayList<>(Files.isExecutable(fetched)
                ? List.of("env", "LD_LIBRARY_PATH=" + root.resolve("lib/x86_64-linux-gnu"), fetched.toString())
                : List.of(name));
        words.addAll(List.of(arguments));
        return words;
    }

    private static double number(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        if (!found.find()) {
            throw new IllegalStateException("no " + pattern + " in: " + text);
        }
        return Double.parseDouble(found.group(1));
    }

    private String output(KernelRuler.Rule rule, List<String> words) throws IOException, InterruptedException {
        Path said = scratch.resolve("said");
        Process process = rule
                .start(new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(said.toFile()));
        boolean hasEnded = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!hasEnded) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        String text = Files.readString(said);
        if (!hasEnded || process.exitValue() != 0) {
            throw new IllegalStateException(String.format(Locale.ROOT, "%s %s: %s", String.join(" ", words),
                    hasEnded
                            ? "ended with status " + process.exitValue()
                            : "did not end within " + PATIENCE_SECONDS + " s",
                    text));
        }
        return text;
    }
}
