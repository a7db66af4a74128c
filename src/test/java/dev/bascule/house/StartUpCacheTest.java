package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The start-up cache as the scripts make and use it. A JVM that refuses it says nothing and starts without, so what is
 * looked at is where the classes come from: from the cache, or from the jars.
 */
@Tag("process")
class StartUpCacheTest {
    private static final Pattern LOADED = Pattern.compile("(\\S+) source: (.*)");

    @TempDir
    private Path temporary = Path.of("");

    private Path clone = Path.of("");
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void makeTheCache() throws Exception {
        clone = ScriptsCopy.make(temporary, environment);
        Files.createDirectories(clone.resolve("target/log"));
        Files.createSymbolicLink(clone.resolve("hw-configs"), House.BASE.resolve("hw-configs"));
        Command made = run("bash", "-euc", ". scripts/lib.sh; find_jdk; make_aot_cache");
        assertThat(made.status()).as(made.out() + made.err()).isZero();
        assertThat(clone.resolve("target/bascule.aot")).exists();
    }

    @Test
    void ofBasculeAndItsLibrariesEveryClassOfACommandComesFromTheCache() throws Exception {
        Path log = temporary.resolve("doctor.txt");
        environment.put("BASCULE_JAVA_OPTS", "-Xlog:class+load:file=" + log);
        Command command = run("scripts/bascule", "doctor", "--json");
        assertThat(command.out()).as(command.err()).startsWith("{");
        assertThat(outside(log)).as("from the jars, not from the cache").isEmpty();
    }

    /** The JVM looks at the jar that it is started with, and takes classes from a cache that the others have no more. */
    @Test
    void aCacheThatIsOlderThanAJarIsLeftAside() throws Exception {
        Files.setLastModifiedTime(clone.resolve("target/bascule.aot"), FileTime.fromMillis(0));
        Path log = temporary.resolve("old.txt");
        environment.put("BASCULE_JAVA_OPTS", "-Xlog:class+load:file=" + log);
        assertThat(run("scripts/bascule", "doctor", "--json").out()).startsWith("{");
        assertThat(outside(log)).contains("dev.bascule.cli.Main");
    }

    @Test
    void theCacheServesTheAgentsProcessToo() throws Exception {
        environment.put("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + temporary + "/load-%p.txt");
        Command command = run("scripts/bascule", "run", "--quick", "--patient", "--json", "--transport", "wave");
        assertThat(command.status()).as(command.err()).isZero();
        List<Path> agents = new ArrayList<>();
        try (var logs = Files.newDirectoryStream(temporary, "load-*.txt")) {
            for (Path log : logs) {
                if (Files.readString(log).contains("dev.bascule.cli.AgentCommand source:")) {
                    agents.add(log);
                }
            }
        }
        assertThat(agents).isNotEmpty();
        for (Path log : agents) {
            assertThat(Files.readString(log)).containsPattern("picocli.CommandLine source: shared objects file")
                    .containsPattern("dev.bascule.cli.Main source: shared objects file");
        }
    }

    private Command run(String... words) throws Exception {
        return Command.run(clone, environment, List.of(words));
    }

    private static TreeSet<String> outside(Path log) throws Exception {
        TreeSet<String> found = new TreeSet<>();
        for (String line : Files.readAllLines(log)) {
            Matcher loaded = LOADED.matcher(line);
            if (loaded.find() && loaded.group(1).matches(".*(dev\\.bascule\\.|picocli\\.|snakeyaml\\.).*")
                    && !loaded.group(1).contains("/0x") // made at run time, has no name of its own
                    && !loaded.group(2).startsWith("shared objects file")) {
                found.add(loaded.group(1));
            }
        }
        return found;
    }
}
