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

/** What is said of the jar that users run: it resolves as a module, and what it calls is listed. */
@Tag("process")
class PackagedJarTest {
    private static final Path JAR = House.BUILD.resolve("bascule.jar");
    private static final Path LIB = House.BUILD.resolve("lib");

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

    @Test
    void theJarStartsFromTheClassPathAndGrantsNativeAccess() throws Exception {
        Command command = Command.java("-jar", JAR.toString(), "--version");
        assertThat(command.err()).isEmpty();
        assertThat(command.out()).startsWith("bascule 0.");
        try (JarFile jar = new JarFile(JAR.toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
        }
    }

    @Test
    void everyEntryOfTheJarHasTheSameTime() throws Exception {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            assertThat(jar.stream().map(e -> e.getTimeLocal().toString()).distinct()).hasSize(1);
        }
    }

    @Test
    void nativeAccessIsWhereTheListSays() throws Exception {
        String path = Stream.concat(Stream.of(JAR), libraries().stream()).map(Path::toString)
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
        jars.add(JAR);
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
