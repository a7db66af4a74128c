package dev.bascule.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Projects of users, from an empty folder against the artefact as it lies in a Maven repository: jar and POM, nothing of the
 * source tree. Maven builds the one that {@code bascule new agent} writes, offline; with the libraries that it resolved from
 * the POM another is compiled and run, on the class path and on the module path.
 */
@Tag("process")
class ConsumerTest {
    private static final List<String> PROGRAMS = List.of("Lifo", "Packets");

    @TempDir
    private static Path folder;

    private static Path project = Path.of("");
    private static Program built = new Program(-1, "", "");

    @BeforeAll
    static void mavenBuildsTheWrittenProject() throws Exception {
        project = folder.resolve("my-policy");
        Program written = Program.java(folder, "--enable-native-access=ALL-UNNAMED", "-jar",
                Installed.JAR.toString(), "new", "agent", project.toString(), "--package", "com.acme.sched");
        assertThat(written.status()).as(written.toString()).isZero();
        Path repository = Installed.repository(repository());
        built = Program.run(project, List.of("./ci", "-o", "-Dmaven.repo.local=" + repository));
    }

    private static Path repository() {
        return folder.resolve("repository");
    }

    @AfterAll
    static void theLinksGo() throws Exception {
        Installed.unlink(repository());
    }

    /** The libraries of a run as the POM gives them to a user, Bascule's jar first. */
    private static List<Path> libraries() throws Exception {
        String path = Files.readString(project.resolve("target/run.classpath")).strip();
        return Arrays.stream(path.split(File.pathSeparator)).map(Path::of).toList();
    }

    @Test
    void theWrittenProjectIsBuiltTestedAndRunsLive() throws Exception {
        assertThat(built.status()).as(built.toString()).isZero();
        assertThat(built.out()).contains("Tests run: 4, Failures: 0, Errors: 0, Skipped: 0")
                .contains("jobs done of 1000: 1000 over wave, 1000 over swap");
    }

    @Test
    void thePomTroublesNobodyWithTestsOrOptionalLibraries() throws Exception {
        List<String> names = libraries().stream().map(jar -> jar.getFileName().toString()).toList();
        assertThat(names).anyMatch(name -> name.startsWith("bascule-")).anyMatch(name -> name.startsWith("picocli-"))
                .noneMatch(name -> name.matches("(junit|opentest4j|apiguardian|rocksdbjni|assertj|archunit).*"));
    }

    @Test
    void aProgramOnTheClassPathNeedsNoMore() throws Exception {
        Path classes = folder.resolve("classes");
        compile(List.of("-cp", path(libraries())), classes, PROGRAMS);
        for (String program : PROGRAMS) {
            expect(program, Program.java(folder, "--enable-native-access=ALL-UNNAMED", "-cp",
                    classes + File.pathSeparator + path(libraries()), "org.example.consumer." + program));
        }
    }

    @Test
    void aModuleThatRequiresBasculeNeedsNoMore() throws Exception {
        Path classes = folder.resolve("modules");
        compileModule(classes, PROGRAMS, libraries(), "");
        for (String program : PROGRAMS) {
            Program run = Program.java(folder, "--enable-native-access=dev.bascule", "-p",
                    classes + File.pathSeparator + path(libraries()), "-m",
                    "org.example.consumer/org.example.consumer." + program);
            expect(program, run);
            assertThat(run.err()).as("what the JVM says of modules").doesNotContain("WARNING");
        }
    }

    @Test
    void testsWithTheExtensionRunOnTheClassPath() throws Exception {
        Path classes = folder.resolve("test-classes");
        List<Path> all = Stream.concat(libraries().stream(), Installed.junit().stream()).toList();
        compile(List.of("-cp", path(all)), classes, List.of("Lifo", "LifoTest", "RunTests"));
        Program run = Program.java(folder, "--enable-native-access=ALL-UNNAMED", "-cp",
                classes + File.pathSeparator + path(all), "org.example.consumer.RunTests");
        assertThat(run.out()).as(run.toString())
                .matches("(?s).*tests that passed: (2[5-9]|[3-9]\\d), failed: 0, in no module\n");
    }

    @Test
    void testsWithTheExtensionRunOnTheModulePath() throws Exception {
        Path classes = folder.resolve("test-modules");
        List<Path> all = Stream.concat(libraries().stream(), Installed.junit().stream()).toList();
        compileModule(classes, List.of("Lifo", "LifoTest", "RunTests"), all,
                "    requires org.junit.jupiter.api;\n    requires org.junit.platform.launcher;\n");
        Program run = Program.java(folder, "--enable-native-access=dev.bascule", "--add-modules",
                "org.junit.jupiter.engine", "-p", classes + File.pathSeparator + path(all), "-m",
                "org.example.consumer/org.example.consumer.RunTests");
        assertThat(run.out()).as(run.toString())
                .matches("(?s).*tests that passed: (2[5-9]|[3-9]\\d), failed: 0, in org.example.consumer\n");
    }

    private static void expect(String program, Program run) {
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out())
                .isEqualTo(program.equals("Lifo") ? "last in, first out\n" : "received 1 of 60 bytes\n");
    }

    private static void compileModule(Path classes, List<String> sources, List<Path> libraries, String requires)
            throws Exception {
        Path module = Files.createDirectories(folder.resolve(classes.getFileName() + "-info"))
                .resolve("module-info.java");
        Files.writeString(module, """
                module org.example.consumer {
                    requires dev.bascule;
                %s
                    opens org.example.consumer;
                }
                """.formatted(requires));
        compile(List.of("-p", path(libraries), module.toString()), classes, sources);
    }

    private static void compile(List<String> options, Path classes, List<String> sources) throws Exception {
        List<String> words = new ArrayList<>(List.of(Program.tool("javac"), "-proc:none", "-d", classes.toString()));
        words.addAll(options);
        for (String source : sources) {
            words.add(Installed.BASE.resolve("src/test/resources/consumer/" + source + ".java").toString());
        }
        Program compiled = Program.run(folder, words);
        assertThat(compiled.status()).as(compiled.toString()).isZero();
    }

    private static String path(List<Path> jars) {
        return String.join(File.pathSeparator, jars.stream().map(Path::toString).toList());
    }
}
