package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The lanes that Maven runs. */
final class MavenLanes {
    static final List<String> SKIP = List.of("-Dspotless.check.skip=true", "-Dcyclonedx.skip=true",
            "-Dmaven.javadoc.skip=true");
    private static final String JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED"
            + " --sun-misc-unsafe-memory-access=allow";
    private static final Pattern AT_WORK = Pattern.compile(
            "(?m)^\\[INFO\\] (?:--- (?:maven-)?([a-z-]+?)(?:-maven)?(?:-plugin)?:[^:]*:(\\S+)|Running (\\S+))");
    private static final Pattern NOISE = Pattern.compile(
            "Re-run Maven|To see the full|\\[Help 1\\] http|For more information|·|@@|-> \\[Help|^\\[ERROR\\] *$");

    private final Clone clone;
    private final Options options;

    MavenLanes(Clone clone, Options options) {
        this.clone = clone;
        this.options = options;
    }

    /**
     * Builds, and runs unit and process tests, whose results {@code results} takes; false when the build failed.
     *
     * @param built runs once all classes are there, beside the tests
     */
    boolean defaults(List<LaneResult> results, Runnable built) throws IOException, InterruptedException {
        for (String old : List.of("surefire-reports", "process-reports", "site/jacoco")) {
            Clone.delete(clone.target().resolve(old));
        }
        Files.deleteIfExists(clone.target().resolve("jacoco.exec"));
        AtomicBoolean told = new AtomicBoolean();
        UnaryOperator<String> progress = log -> {
            if (areTestsRunning(log) && !told.getAndSet(true)) {
                built.run();
            }
            return atWork(log);
        };
        int status = maven(progress, "test", "verify", "-Dmaven.test.failure.ignore=true", "-Dspotless.check.skip=true",
                "-Dmaven.javadoc.skip=true", "-Djacoco.skip=" + !options.coverage());
        results.add(tests("unit", clone.target().resolve("surefire-reports"), status));
        results.add(tests("process", clone.target().resolve("process-reports"), status));
        return status == 0;
    }

    LaneResult format() throws IOException, InterruptedException {
        return maven("format", "spotless:check") == 0
                ? LaneResult.ran("format", "Eclipse formatter, .mvn/eclipse-format.xml")
                : LaneResult.failed("format", "mend it: mvn spotless:apply");
    }

    /** A second build elsewhere must give the same archives, byte by byte; it checks nothing again. */
    LaneResult reproduce() throws IOException, InterruptedException {
        Path again = clone.target().resolve("reproduced");
        Clone.delete(again);
        List<String> words = new ArrayList<>(
                List.of("package", "-Dbascule.target=target/reproduced", "-Dmaven.test.skip=true",
                        "-Dmdep.skip=true", "-Djacoco.skip=true", "-Dbascule.checks=-XDstringConcat=inline"));
        words.addAll(SKIP);
        if (maven("reproduce", words.toArray(String[]::new)) != 0) {
            return LaneResult.failed("reproduce", "the second build failed");
        }
        for (String archive : List.of("bascule.jar", "bascule-study.jar", "bascule-sources.jar")) {
            if (Files.mismatch(clone.target().resolve(archive), again.resolve(archive)) >= 0) {
                return LaneResult.failed("reproduce",
                        "a second build gives another " + archive + ": compare target/" + archive
                                + " with target/reproduced/" + archive);
            }
        }
        return LaneResult.ran("reproduce", "a second build gives the same jars and the same sources jar");
    }

    /** The tests of one tag. */
    LaneResult tagged(String tag) throws IOException, InterruptedException {
        Path reports = clone.freshReports(tag);
        List<String> words = new ArrayList<>(List.of("integration-test", "-Plane", "-Dbascule.lane=" + tag,
                "-Dbascule.fuzzMinutes=" + options.fuzzMinutes(), "-Dbascule.kills=" + options.kills(),
                "-Dmaven.test.failure.ignore=true", "-Djacoco.skip=true"));
        words.addAll(SKIP);
        if (tag.equals("chaos")) {
            // eight carriers, so that eight emulated CPUs interrupt each other anywhere
            words.addAll(List.of("-Dbascule.chaosMinutes=" + options.chaosMinutes(),
                    "-Dbascule.chaosSeed=" + options.chaosSeed(),
                    "-Dbascule.laneJvm=-Djdk.virtualThreadScheduler.parallelism=8 -Djdk.virtualThreadScheduler.maxPoolSize=8"));
        }
        LaneResult result = tests(tag, reports, maven("lane-" + tag, words.toArray(String[]::new)));
        return result.with("", printed(reports, tag + ": "));
    }

    private LaneResult tests(String lane, Path reports, int status) throws IOException {
        return LaneResult.ofTests(lane, Reports.of(reports), status, "Maven failed, see above");
    }

    /** What the tests printed behind {@code mark}: what was injected and counted, and how to repeat a finding. */
    private static List<String> printed(Path reports, String mark) throws IOException {
        List<String> lines = new ArrayList<>();
        try (DirectoryStream<Path> outputs = Files.newDirectoryStream(reports, "*-output.txt")) {
            for (Path output : outputs) {
                Files.readAllLines(output).stream().filter(line -> line.startsWith(mark))
                        .forEach(line -> lines.add("    " + line.substring(mark.length())));
            }
        }
        return lines;
    }

    /** Runs Maven; its output is in the log of that name, and on a failure its errors are said. */
    int maven(String label, String... words) throws IOException, InterruptedException {
        return maven(MavenLanes::atWork, label, words);
    }

    private int maven(UnaryOperator<String> progress, String label, String... words)
            throws IOException, InterruptedException {
        Map<String, String> environment = System.getenv();
        List<String> all = new ArrayList<>(List.of(clone.maven(), "-B", "-ntp"));
        all.addAll(List.of(environment.getOrDefault("MAVEN_ARGS", "").split(" ")).stream()
                .filter(word -> !word.isEmpty()).toList());
        all.addAll(List.of(words));
        all.add("-Dbascule.turn=" + clone.turn());
        Program program = clone.program(label, all)
                .with("MAVEN_OPTS", (environment.getOrDefault("MAVEN_OPTS", "") + " " + JVM).strip())
                .with("JAVA_HOME", System.getProperty("java.home"));
        System.err.println("bascule: Maven, " + label);
        int status = program.run(label, progress::apply);
        if (status != 0) {
            System.err.println("bascule: " + label + " failed; the whole output is in " + program.log());
            program.logged().lines().filter(line -> line.startsWith("[ERROR]") && !NOISE.matcher(line).find()).limit(40)
                    .forEach(System.err::println);
        }
        return status;
    }

    static boolean areTestsRunning(String log) {
        return log.contains("\n[INFO] Running ");
    }

    static String atWork(String log) {
        String last = "starting Maven (the first build fetches the libraries)";
        Matcher matcher = AT_WORK.matcher(log);
        while (matcher.find()) {
            last = matcher.group(3) == null ? matcher.group(1) + ":" + matcher.group(2) : matcher.group(3);
        }
        return last;
    }
}
