package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The concurrency stress tests. jcstress 0.16 has no budget for all of them, only one for an iteration of each. */
final class StressLane {
    private static final Pattern RESULTS = Pattern.compile("(?m)^\\(Results:.*$");

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
        Program program = clone.program(name, words).in(results);
        int status = program.run(name, StressLane::lastResults);
        LaneResult result = judge(name, status, program.logged(), program.log());
        if (result.status() == LaneResult.Status.FAILED) {
            program.logged().lines().filter(line -> line.matches(".*(FORBIDDEN|ERROR|Exception).*")).limit(20)
                    .forEach(System.err::println);
        }
        return result;
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
                    counts, List.of());
        }
        return new LaneResult(name, LaneResult.Status.RAN,
                good + " configurations passed, " + numbers[3] + " with soft errors",
                counts, List.of());
    }

    private static String lastResults(String log) {
        return RESULTS.matcher(log).results().map(result -> result.group()).reduce((first, second) -> second)
                .orElse("starting");
    }
}
