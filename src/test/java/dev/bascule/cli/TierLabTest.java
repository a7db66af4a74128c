package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * RocksDB under {@code bascule tier} on a machine whose second NUMA node has memory and no CPU, with the access bits of
 * DAMON. LabLane says how that machine is started.
 */
@Tag("lab")
@Tag("more")
class TierLabTest {
    private static final String KEYS = "100000";
    private static final int SECONDS = 60;
    private static final int WATCH_SECONDS = 12;
    /** The database is there, and some of the program's pages have moved. */
    private static final String AT_WORK = "ready.* [1-9][0-9]* pages demoted";
    private static final long PATIENCE_SECONDS = 400;

    @TempDir
    private Path folder = Path.of("");

    private @Nullable Process host;

    @BeforeEach
    void isThere() {
        Lab.require();
        Assumptions.assumeTrue(Files.exists(Path.of("/sys/devices/system/node/node1")),
                "the machine has one NUMA node: scripts/lab with -numa");
    }

    @AfterEach
    void end() {
        if (host != null) {
            host.descendants().forEach(ProcessHandle::destroyForcibly);
            host.destroyForcibly();
        }
    }

    /** The kernel's own users of DAMON stand back. */
    @BeforeEach
    void freeDamon() throws IOException {
        for (String module : List.of("damon_stat", "damon_reclaim", "damon_lru_sort")) {
            Path enabled = Path.of("/sys/module", module, "parameters", "enabled");
            if (Files.exists(enabled)) {
                Files.writeString(enabled, "N");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void fastMemoryIsHalvedAtLessThanATenthOfTheThroughput(String link) throws Exception {
        Path said = start(tier(link, SECONDS + WATCH_SECONDS, List.of("--watch", WATCH_SECONDS + "s", "--json")));
        String text = end(said);
        assertThat(host().exitValue()).as(text).isEqualTo(RocksDbWindow.GOOD);
        assertThat(text).contains("every value is what was written", "\"source\": \"damon", "\"to\": \"node:1",
                "\"link\": \"" + link);
        assertThat(figure(text, "seconds")).as("time under tiering").isGreaterThan(SECONDS - 5);
        assertThat(figure(text, "settledFastBytes")).as("bytes in fast memory, of " + figure(text, "mostFastBytes"))
                .isPositive().isLessThan(figure(text, "mostFastBytes") / 2);
        assertThat(figure(text, "lostPercent")).as("throughput lost, %").isLessThan(10);
    }

    /** The agent, then the host; the database is read to its end by the program, which nobody manages any more. */
    @Test
    void aKilledAgentAndAKilledHostLeaveEveryValueReadable() throws Exception {
        Path said = start(tier("wave", 30, List.of("--agent-process")));
        await(said, AT_WORK);
        child("--attach").destroyForcibly();
        await(said, "ended with status 137; nothing is demoted until the next one has started");
        ProcessHandle program = child(RocksDbWindow.class.getName());
        host().destroyForcibly().waitFor();
        await(said, "every value is what was written");
        program.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** The program; its database is opened again. */
    @Test
    void aKilledProgramLeavesEveryValueReadable() throws Exception {
        Path said = start(tier("swap", 30, List.of()));
        await(said, AT_WORK);
        child(RocksDbWindow.class.getName()).destroyForcibly();
        assertThat(host().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(host().exitValue()).as(Files.readString(said)).isEqualTo(128 + 9);
        Process again = new ProcessBuilder(program(0)).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        assertThat(again.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(said)).contains("opened again", "every value is what was written");
        assertThat(again.exitValue()).isEqualTo(RocksDbWindow.GOOD);
    }

    private List<String> program(int seconds) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Xms16m", "-Xmx32m", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), RocksDbWindow.class.getName(), folder.resolve("db").toString(),
                KEYS, Integer.toString(seconds), "6", folder.resolve("ops").toString());
    }

    private String[] tier(String link, int seconds, List<String> options) {
        List<String> words = new ArrayList<>(List.of("tier", "--link", link, "--to", "node:1", "--source", "damon",
                "--period", "500ms", "--budget", "0.3", "--most-slow", "0.5", "--ops",
                folder.resolve("ops").toString()));
        words.addAll(options);
        words.add("--");
        words.addAll(program(seconds));
        return words.toArray(String[]::new);
    }

    private Path start(String... words) throws IOException {
        Path said = folder.resolve("said.txt");
        host = new ProcessBuilder(Cli.command(List.of(), words)).redirectErrorStream(true)
                .redirectOutput(said.toFile()).start();
        return said;
    }

    private Process host() {
        return Objects.requireNonNull(host);
    }

    private String end(Path said) throws Exception {
        boolean ended = host().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        String text = Files.readString(said);
        System.out.println(text.replaceAll("(?s)\"memory\".*", ""));
        assertThat(ended).as(text).isTrue();
        return text;
    }

    /** @param words a pattern */
    private static void await(Path said, String words) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        Pattern pattern = Pattern.compile(words, Pattern.DOTALL);
        while (!pattern.matcher(Files.readString(said)).find()) {
            assertThat(System.nanoTime()).as(Files.readString(said)).isLessThan(deadline);
            LockSupport.parkNanos(50_000_000);
        }
    }

    private ProcessHandle child(String word) {
        return host().children().filter(one -> words(one).contains(word)).findFirst().orElseThrow();
    }

    private static String words(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return ""; // it has ended
        }
    }

    private static double figure(String json, String name) {
        Matcher found = Pattern.compile('"' + name + "\": (-?[0-9.E]+)").matcher(json);
        assertThat(found.find()).as(name + " in " + json).isTrue();
        return Double.parseDouble(found.group(1));
    }
}
