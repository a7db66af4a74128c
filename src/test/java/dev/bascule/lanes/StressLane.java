package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The concurrency stress tests. jcstress 0.16 has no budget for all of them, only one for an iteration of each. */
final class StressLane {
    private static final Pattern RESULTS = Pattern.compile("(?m)^\\(Results:.*$");
    /** From a configuration's verdict, if it is no good one, to what jcstress says of the whole run. */
    private static final Pattern BAD = Pattern
            .compile("(?ms)^\\.+ \\[(FAILED|TIMEOUT|(?:\\w+ )?ERROR)] (\\S+)$(.*?)(?=^\\(ETA|^\\(Results|\\z)");
    private static final Pattern ARGUMENTS = Pattern.compile("(?m)^ *JVM args: (.*)$");
    private static final Pattern SAID = Pattern.compile("(?m)^ +(.* Forbidden .*)$|^ {4}(\\S.*)$");
    private static final Pattern NAME = Pattern.compile("JCTEST(\\d+)S(.*)");
    private static final int TURNS = 6;
    private static final int BAD_TOLD = 8;
    private static final int LINES_TOLD = 4;

    private StressLane() {}

    static LaneResult run(Clone clone, String name, String mode, String milliseconds, String... further)
            throws IOException, InterruptedException {
        Path list = clone.target().resolve("test-classes/META-INF/TestList");
        if (!Files.exists(list) || Files.size(list) == 0) {
            return LaneResult.skipped(name, "no stress tests in src/jcstress/java");
        }
        if (Runtime.getRuntime().availableProcessors() < 2) {
            return LaneResult.skipped(name, "one core only: nothing runs at the same time");
        }
        Path results = clone.target().resolve(name + "-results");
        Clone.delete(results);
        Files.createDirectories(results);
        System.err.printf("bascule: concurrency stress tests (jcstress, mode %s, %s ms an iteration)%n", mode,
                milliseconds);
        List<String> words = new ArrayList<>(List.of(Clone.java(), "-XX:+UseSerialGC", "-cp", clone.classPath(),
                "org.openjdk.jcstress.Main", "-m", mode, "-time", milliseconds, "-r", results + "/"));
        words.addAll(List.of(further));
        if (!clone.turn().isEmpty()) {
            words.addAll(List.of("-t", share(Files.readString(list), Integer.parseInt(clone.turn()))));
        }
        Program program = clone.program(name, words).in(results);
        int status = program.run(name, StressLane::lastResults);
        return judge(name, status, program.logged(), program.log());
    }

    /** Pattern of the tests that have this turn; in a list of jcstress a line each, behind its name's length. */
    static String share(String list, int turn) {
        List<String> names = list.lines().map(NAME::matcher).filter(Matcher::lookingAt)
                .map(name -> name.group(2).substring(0, Integer.parseInt(name.group(1)))).sorted().toList();
        return IntStream.range(0, names.size()).filter(i -> i % TURNS == turn % TURNS)
                .mapToObj(i -> Pattern.quote(names.get(i))).collect(Collectors.joining("|", "^(?:", ")$"));
    }

    /** By the last line of results: planned, passed, failed, soft errors, hard errors. */
    static LaneResult judge(String name, int status, String logged, Path log) {
        int[] numbers = new int[5];
        Matcher number = Pattern.compile("[0-9]+").matcher(lastResults(logged));
        for (int i = 0; i < numbers.length && number.find(); i++) {
            numbers[i] = Integer.parseInt(number.group());
        }
        int good = numbers[1];
        int bad = numbers[2] + numbers[4];
        Counts counts = new Counts(good, bad, 0);
        if (status != 0 || bad > 0 || good == 0) {
            return new LaneResult(name, LaneResult.Status.FAILED,
                    "%d of %d configurations passed, %d failed, %d broke; log in %s"
                            .formatted(good, numbers[0], numbers[2], numbers[4], log),
                    counts, bad(logged));
        }
        return new LaneResult(name, LaneResult.Status.RAN,
                good + " configurations passed, " + numbers[3] + " with soft errors",
                counts, List.of());
    }

    /** Which configurations were bad: the test, the results that must not be or the first lines of its messages, the JVM. */
    private static List<String> bad(String logged) {
        return BAD.matcher(logged).results().map(one -> "    failed: " + one.group(2) + ": " + one.group(1) + ": "
                + said(one.group(1), one.group(3)) + "; JVM "
                + ARGUMENTS.matcher(one.group(3)).results().map(jvm -> jvm.group(1)).findFirst().orElse("unknown"))
                .distinct().limit(BAD_TOLD).toList();
    }

    private static String said(String verdict, String block) {
        int from = Math.max(0, block.indexOf(verdict.equals("FAILED") ? "  RESULT " : "  Messages:"));
        return SAID.matcher(block.substring(from)).results()
                .map(line -> (line.group(1) == null ? line.group(2) : line.group(1)).strip())
                .filter(line -> !line.contains(" Acceptable ")).limit(LINES_TOLD)
                .collect(Collectors.joining(" | "));
    }

    private static String lastResults(String log) {
        return RESULTS.matcher(log).results().map(result -> result.group()).reduce((first, second) -> second)
                .orElse("starting");
    }
}
