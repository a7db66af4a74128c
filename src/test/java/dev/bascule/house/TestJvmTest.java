package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A test of a process has the heap and the other limits that a user's process has: what runs out there runs out here. */
@Tag("process")
class TestJvmTest {
    private static List<String> flags() throws Exception {
        return Files.readAllLines(House.BASE.resolve("scripts/jvm.flags")).stream().filter(line -> line.startsWith("-"))
                .toList();
    }

    @Test
    void thisJvmHasTheLaunchersFlagsAndNoneThatUndoesThem() throws Exception {
        List<String> own = ManagementFactory.getRuntimeMXBean().getInputArguments();
        assertThat(own).containsAll(flags());
        for (String flag : flags()) {
            String name = flag.replaceAll("^(-X(?:ms|mx)).*|^(-XX:[+-]?\\w+).*", "$1$2");
            assertThat(own.stream().filter(word -> word.startsWith(name))).as(name).containsExactly(flag);
        }
    }

    /**
     * Lincheck has the JVM transform every class that is loaded. In one that holds thousands of test classes this took
     * minutes, and once did not end.
     */
    @Test
    void lincheckHasAJvmOfItsOwn() throws Exception {
        try (var files = Files.walk(House.BASE.resolve("src/test/java"))) {
            assertThat(files.filter(file -> file.toString().endsWith("Test.java")).map(House::read)
                    .filter(text -> text.contains("import org.jetbrains.lincheck"))).hasSizeGreaterThan(2)
                    .allSatisfy(text -> assertThat(text).containsPattern("@Tag\\(\"process\"\\)\\s+class "));
        }
    }

    /** What the JVM says of its flags when a command starts it by the launcher. */
    private static String launched(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("scripts/bascule"));
        all.addAll(List.of(words));
        Command command = Command.run(House.BASE, Map.of("PATH", "/usr/bin:/bin", "BASCULE_NO_BUILD", "1",
                "BASCULE_JAVA_HOME", System.getProperty("java.home"), "BASCULE_JAVA_OPTS",
                "-XX:+PrintCommandLineFlags"), all);
        assertThat(command.status()).as(command.err()).isZero();
        return command.out();
    }

    /** A million streams do not fit into the heap of all others. */
    @Test
    void theStudiesHaveAHeapOfTheirOwn() throws Exception {
        assertThat(launched("reproduce", "nagare", "--help")).contains("-XX:MaxHeapSize=" + (1L << 30));
    }

    @Test
    void theLauncherStartsTheJvmWithThem() throws Exception {
        String said = launched("--version");
        for (String flag : flags()) {
            assertThat(said).contains(flag.startsWith("-Xm") ? size(flag) : flag.replaceAll("=(\\d+)m", "="));
        }
    }

    /** As the JVM prints it: -Xmx384m is -XX:MaxHeapSize=402653184. */
    private static String size(String flag) {
        String name = flag.startsWith("-Xms") ? "-XX:InitialHeapSize=" : "-XX:MaxHeapSize=";
        return name + (Long.parseLong(flag.replaceAll("\\D", "")) << 20);
    }
}
