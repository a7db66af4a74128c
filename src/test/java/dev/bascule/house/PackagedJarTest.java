package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jars that users run: the product resolves as a module and is without the study wing, whose jar has all of it; what they
 * call is listed.
 */
@Tag("process")
class PackagedJarTest {
    private static final Path JAR = House.BUILD.resolve("bascule.jar");
    private static final Path STUDY = House.BUILD.resolve("bascule-study.jar");
    private static final Path LIB = House.BUILD.resolve("lib");
    private static final String DOOR = "META-INF/services/dev.bascule.cli.Extension";

    @Test
    void theModuleResolvesAndStarts() throws Exception {
        Command command = Command.java("--enable-native-access=dev.bascule", "-p", JAR + ":" + LIB, "-m",
                "dev.bascule/dev.bascule.cli.Main", "--version");
        assertThat(command.err()).isEmpty();
        assertThat(command.out()).startsWith("bascule 0.").contains("java 25");
        assertThat(command.status()).isZero();
    }

    @Test
    void theMainClassIsInTheModuleToo() throws Exception {
        Command command = Command.java("-p", JAR + ":" + LIB, "-m", "dev.bascule", "--version");
        assertThat(command.out()).startsWith("bascule 0.");
    }

    @ParameterizedTest
    @ValueSource(strings = { "bascule.jar", "bascule-study.jar" })
    void aJarStartsFromTheClassPathAndGrantsNativeAccess(String name) throws Exception {
        Path file = House.BUILD.resolve(name);
        Command command = Command.java("-jar", file.toString(), "--version");
        assertThat(command.err()).isEmpty();
        assertThat(command.out()).startsWith("bascule 0.");
        try (JarFile jar = new JarFile(file.toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "bascule.jar", "bascule-study.jar" })
    void everyEntryOfAJarHasTheSameTime(String name) throws Exception {
        try (JarFile jar = new JarFile(House.BUILD.resolve(name).toFile())) {
            assertThat(jar.stream().map(e -> e.getTimeLocal().toString()).distinct()).hasSize(1);
        }
    }

    @Test
    void theProductIsWithoutTheStudyWingAndItsJarHasNothingElse() throws Exception {
        assertThat(entries(JAR)).contains("module-info.class", "dev/bascule/cli/Extension.class").doesNotContain(DOOR)
                .noneMatch(entry -> entry.startsWith("dev/bascule/study/"));
        assertThat(entries(STUDY)).contains(DOOR, "dev/bascule/study/experiment/skyloft-sosp24.csv")
                .allMatch(entry -> entry.startsWith("dev/bascule/study/") || entry.startsWith("META-INF/"));
    }

    @Test
    void theCommandsOfTheStudyJarAreThereWithItAndWithoutItTheMessageNamesIt() throws Exception {
        String[] words = { "sim", "cpus=1", "jobs=300", "--repeat", "1", "--json" };
        Command beside = Command.java(Stream.concat(Stream.of("--enable-native-access=ALL-UNNAMED", "-cp",
                JAR + ":" + STUDY, "dev.bascule.cli.Main"), Stream.of(words)).toArray(String[]::new));
        assertThat(beside.status()).as(beside.err()).isZero();
        assertThat(beside.out()).startsWith("{");
        Command alone = Command.java(Stream.concat(Stream.of("-jar", JAR.toString()), Stream.of(words))
                .toArray(String[]::new));
        assertThat(alone.status()).isEqualTo(2);
        assertThat(alone.err()).contains("no command of bascule is called 'sim'", "bascule-study.jar");
        Command help = Command.java("-jar", JAR.toString(), "--help");
        assertThat(help.status()).as(help.err()).isZero();
        assertThat(help.out()).contains("\n  doctor ").doesNotContain("\n  sim ", "Simulation and published figures");
        Command wire = Command.java("-jar", JAR.toString(), "serve", "--device", "corundum", "--wire", "fabric:a.yaml",
                "--socket", "/nowhere/socket");
        assertThat(wire.status()).as(wire.err()).isEqualTo(1);
        assertThat(wire.err()).contains("--wire fabric:a.yaml", "bascule-study.jar");
    }

    private static List<String> entries(Path file) throws Exception {
        try (JarFile jar = new JarFile(file.toFile())) {
            return jar.stream().filter(entry -> !entry.isDirectory()).map(entry -> entry.getName()).toList();
        }
    }

    @Test
    void nativeAccessIsWhereTheListSays() throws Exception {
        String path = Stream.concat(Stream.of(JAR, STUDY), libraries().stream()).map(Path::toString)
                .collect(Collectors.joining(":"));
        Set<String> found = parseNativeScan(run("jnativescan", "--class-path", path, "--release", "25"));
        assertThat(found).as("jnativescan: jar and class; expected ones are in native-access.allow")
                .isSubsetOf(House.allowed("native-access.allow"));
    }

    @Test
    void theParserOfNativeScanSeesAFinding() {
        assertThat(parseNativeScan("""
                /a b/lib/rocksdbjni-11.8.1.jar (ALL-UNNAMED):
                  org.rocksdb.Env:
                    org.rocksdb.Env::x()void is a native method declaration
                """)).containsExactly("rocksdbjni org.rocksdb.*");
        assertThat(parseNativeScan("""
                /t/bascule.jar (dev.bascule):
                  dev.bascule.memory.Bad:
                    dev.bascule.memory.Bad::x()void references restricted methods:
                      java.lang.foreign.MemorySegment::reinterpret(long)MemorySegment
                """)).containsExactly("bascule dev.bascule.memory.*");
    }

    @Test
    void nothingUsesTheInsideOfTheJdk() throws Exception {
        Set<String> listed = House.allowed("jdk-internals.allow");
        Set<String> found = new TreeSet<>();
        List<Path> jars = new ArrayList<>(libraries());
        jars.addAll(List.of(JAR, STUDY));
        String modulePath = JAR + ":" + LIB;
        for (Path jar : jars) {
            String output = run("jdeps", "--jdk-internals", "--multi-release", "25", "--module-path", modulePath,
                    "--ignore-missing-deps", jar.toString());
            for (String line : output.lines().toList()) {
                Matcher use = Pattern.compile("^\\s+(\\S+)\\s+->\\s+(\\S+)\\s+JDK internal API.*").matcher(line);
                if (use.matches()) {
                    found.add(artifact(jar.toString()) + " " + use.group(1) + " " + use.group(2));
                }
            }
        }
        assertThat(found)
                .as("jdeps --jdk-internals: jar, class and internal class; expected ones are in jdk-internals.allow")
                .isSubsetOf(listed);
    }

    /** Findings as "artifact package.*". */
    private static Set<String> parseNativeScan(String output) {
        Set<String> found = new TreeSet<>();
        String artifact = "";
        for (String line : output.lines().toList()) {
            if (line.matches("\\S.*\\.jar.*:")) {
                artifact = artifact(line.replaceFirst("\\.jar.*", ".jar"));
            } else if (line.matches("  \\S+:")) {
                String type = line.strip().replaceFirst(":$", "");
                found.add(artifact + " " + type.replaceFirst("\\.[^.]+$", ".*"));
            }
        }
        return found;
    }

    /** The artifact's name: file name without folder, version and ending. */
    private static String artifact(String jar) {
        return jar.replaceFirst(".*/", "").replaceFirst("\\.jar$", "").replaceFirst("-[0-9].*$", "");
    }

    private static List<Path> libraries() throws Exception {
        try (Stream<Path> files = Files.list(LIB)) {
            return files.filter(f -> f.toString().endsWith(".jar")).sorted().toList();
        }
    }

    private static String run(String tool, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = ToolProvider.findFirst(tool).orElseThrow(() -> new AssertionError("this JDK has no " + tool))
                .run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
        assertThat(status).as("%s: %s%s", tool, out, err).isZero();
        return out.toString();
    }
}
