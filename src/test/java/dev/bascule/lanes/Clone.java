package dev.bascule.lanes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The clone that is tested: where things are, and how its programs are started.
 *
 * @param turn the turn of tests that go by turns ({@code dev.bascule.junit.ByTurns}); empty: all of them are played
 */
record Clone(Path base, Path target, String maven, String turn) {
    /** Twelve rounds of {@code dev.bascule.junit.ByTurns}, which has its halves, thirds and quarters by round. */
    private static final int TURNS = 720;

    /** Clone at the turn of its committed sources, so that a commit plays the same on every machine. */
    Clone atTurn() throws IOException, InterruptedException {
        Program git = program("turn", List.of("git", "rev-parse", "HEAD:src"));
        int sources = git.run("turn", log -> "") == 0 ? Integer.parseInt(git.lastLine().substring(0, 6), 16) : 0;
        return new Clone(base, target, maven, Integer.toString(sources % TURNS));
    }

    Path log(String name) {
        return target.resolve("log").resolve(name + ".log");
    }

    Path script(String name) {
        return base.resolve("scripts").resolve(name);
    }

    /** Where a lane's reports are; emptied. */
    Path freshReports(String lane) throws IOException {
        Path folder = target.resolve("lane-reports").resolve(lane);
        delete(folder);
        return Files.createDirectories(folder);
    }

    /** A program of the clone, its output in the log of that name. */
    Program program(String log, List<String> words) {
        return new Program(base, log(log), words);
    }

    /** A line of bash that has the functions of scripts/lib.sh; {@code arguments} are its $1, $2 and so on. */
    Program library(String log, String line, String... arguments) {
        List<String> words = new ArrayList<>(List.of("bash", "-euo", "pipefail", "-c",
                ". \"$0/scripts/lib.sh\"; " + line, base.toString()));
        words.addAll(List.of(arguments));
        return program(log, words);
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The tests, what they test and every library, as the build left them. */
    String classPath() throws IOException {
        return target.resolve("test-classes") + ":" + target.resolve("classes") + ":" + libraries();
    }

    String libraries() throws IOException {
        return Files.readString(target.resolve("test.classpath")).strip();
    }

    /** A JVM on the class path of the tests; {@code words} are further options, the main class and its arguments. */
    List<String> java(String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of(java(), "-ea", "-XX:+UseSerialGC", "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED", "-Dbascule.home=" + base, "-Dbascule.turn=" + turn, "-cp",
                classPath()));
        all.addAll(List.of(words));
        return all;
    }

    /** Names of the test classes in which one of the tags stands. */
    List<String> classesTagged(String... tags) throws IOException {
        Path tests = base.resolve("src/test/java");
        try (Stream<Path> files = Files.walk(tests)) {
            return files.filter(file -> file.toString().endsWith("Test.java") && isTagged(file, tags))
                    .map(file -> tests.relativize(file).toString().replace(".java", "").replace('/', '.')).sorted()
                    .toList();
        }
    }

    private static boolean isTagged(Path file, String... tags) {
        try {
            String text = Files.readString(file);
            return Stream.of(tags).anyMatch(tag -> text.contains("@Tag(\"" + tag + "\")"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException e) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
