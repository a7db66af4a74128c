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
    private static final int WATCH_SECONDS = 10;
    /** The database is there, and some of the program's pages have moved. */
    private static final String AT_WORK = "ready.* [1-9][0-9]* pages demoted";
    private static final long PATIENCE_SECONDS = 400;

    /** The database, which the first test loads and the others open again. */
    @TempDir
    private static Path database = Path.of("");

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

    /** The kernel's own users of DAMON, and what else moves or joins pages, stand back. */
    @BeforeEach
    void nobodyElseMovesPages() throws IOException {
        Files.writeString(Path.of("/proc/sys/kernel/numa_balancing"), "0");
        Files.writeString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"), "madvise");
        for (String module : List.of("damon_stat", "damon_reclaim", "damon_lru_sort")) {
            Path enabled = Path.of("/sys/module", module, "parameters", "enabled");
            if (Files.exists(enabled)) {
                Files.writeString(enabled, "N");
            }
        }
    }

    /** What the kernel says of the program's memory, and the program of its operations, at one moment. */
    private record Sample(double seconds, long fastBytes, long operations) {}

    /**
     * Neither figure is one that the command under test says: pages by node are those of numa_maps, operations those that the
     * program counts, and both only while it serves, not while it loads or reads all of its database at the end.
     */
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void fastMemoryIsHalvedAtLessThanATenthOfTheThroughput(String link) throws Exception {
        Path said = start(tier(link, SECONDS + WATCH_SECONDS, List.of("--watch", WATCH_SECONDS + "s", "--json")));
        await(said, "ready");
        List<Sample> samples = serving(said);
        String text = end(said);
        assertThat(host().exitValue()).as(text).isEqualTo(RocksDbWindow.GOOD);
        assertThat(text).contains("every value is what was written", "\"source\": \"damon", "\"to\": \"node:1",
                "\"link\": \"" + link);
        List<Sample> alone = samples.stream().filter(one -> one.seconds() < WATCH_SECONDS - 1).toList();
        List<Sample> tiered = samples.stream().filter(one -> one.seconds() > WATCH_SECONDS).toList();
        long before = alone.stream().mapToLong(Sample::fastBytes).max().orElseThrow();
        double settled = tiered.subList(tiered.size() / 2, tiered.size()).stream().mapToLong(Sample::fastBytes)
                .average()
                .orElseThrow();
        double lost = 1 - rate(tiered) / rate(alone);
        print(samples);
        System.out.printf(
                "%s: %.1f MiB in fast memory before, %.1f in the second half; %.1f %% of the throughput lost%n",
                link, before / 1048576.0, settled / 1048576, lost * 100);
        assertThat(tiered.getLast().seconds() - WATCH_SECONDS).as("time under tiering").isGreaterThan(SECONDS - 10);
        assertThat(settled).as("bytes in fast memory, of " + before + ": " + samples).isPositive()
                .isLessThan(before / 2.0);
        assertThat(lost).as("share of the throughput lost: " + samples).isLessThan(0.1);
    }

    /** One each second until the program has served. */
    private List<Sample> serving(Path said) throws IOException {
        ProcessHandle program = child(RocksDbWindow.class.getName());
        long began = System.nanoTime();
        List<Sample> all = new ArrayList<>();
        while (!Files.readString(said).contains("served")) {
            assertThat(program.isAlive()).as(Files.readString(said)).isTrue();
            Path ops = folder.resolve("ops");
            if (Files.exists(ops)) {
                all.add(new Sample((System.nanoTime() - began) / 1e9, fastBytes(program.pid()),
                        Long.parseLong(Files.readString(ops).strip())));
            }
            LockSupport.parkNanos(1_000_000_000);
        }
        all.removeLast(); // it may have been taken when all was served
        return all;
    }

    /** Bytes of a process on the first node: pages with CPUs beside them. */
    private static long fastBytes(long pid) throws IOException {
        long kib = 0;
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/numa_maps"))) {
            long pages = 0;
            long size = 4;
            for (String word : line.split(" ")) {
                pages = word.startsWith("N0=") ? Long.parseLong(word.substring(3)) : pages;
                size = word.startsWith("kernelpagesize_kB=") ? Long.parseLong(word.substring(18)) : size;
            }
            kib += pages * size;
        }
        return kib << 10;
    }

    private static void print(List<Sample> samples) {
        for (int i = 0; i < samples.size() - 1; i += 5) {
            Sample one = samples.get(i);
            System.out.printf("%5.1f s: %6.1f MiB in fast memory, %5.0f operations/s%n", one.seconds(),
                    one.fastBytes() / 1048576.0, rate(samples.subList(i, Math.min(samples.size(), i + 6))));
        }
    }

    private static double rate(List<Sample> samples) {
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        return (last.operations() - first.operations()) / (last.seconds() - first.seconds());
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
                System.getProperty("java.class.path"), RocksDbWindow.class.getName(), database.resolve("db").toString(),
                KEYS, Integer.toString(seconds), "6", folder.resolve("ops").toString());
    }

    private String[] tier(String link, int seconds, List<String> options) {
        List<String> words = new ArrayList<>(List.of("tier", "--link", link, "--to", "node:1", "--source", "damon",
                "--period", "1s", "--budget", "0.2", "--most-slow", "0.5", "--ops",
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
