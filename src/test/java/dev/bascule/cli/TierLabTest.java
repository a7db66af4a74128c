package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Signals;
import dev.bascule.junit.ByTurns;
import dev.bascule.lab.Lab;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
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
class TierLabTest {
    private static final int KEYS = 100_000;
    private static final int SECONDS = 100;
    private static final int WATCH_SECONDS = 30;
    /** Of a working set, about 20 s of them: a page's move takes a tenth of a millisecond on a machine that is emulated. */
    private static final int WINDOW_OPERATIONS = 250_000;
    /** What the control does in a minute on a machine that is not slow; on one that is, the time is longer. */
    private static final int CONTROL_OPERATIONS = 600_000;
    /** Enough for pages to move; how many is not looked at. */
    private static final int FEW_KEYS = 30_000;
    private static final int KILL_SECONDS = 25;
    private static final int SIGINT = 2;
    /** The database is there, and some of the program's pages have moved. */
    private static final String AT_WORK = "ready.* [1-9][0-9]* pages demoted";
    private static final long PATIENCE_SECONDS = 400;
    /** The CPUs of the tiered program and of its control, and those of all else: of host, agent and DAMON's thread. */
    private static final List<String> CPUS = List.of("0", "1");
    private static final String OTHER_CPUS = "2,3";
    /** Samples after which the two programs exchange their CPUs. */
    private static final int TURN = 3;

    /** The database of the minutes, loaded once. */
    @TempDir
    private static Path shared = Path.of("");

    @TempDir
    private Path folder = Path.of("");

    private final List<Process> started = new ArrayList<>();
    private final Set<String> monitors = new HashSet<>();

    @BeforeEach
    void isThere() {
        Lab.require();
        Assumptions.assumeTrue(Files.exists(Path.of("/sys/devices/system/node/node1")),
                "the machine has one NUMA node: scripts/lab with -numa");
    }

    @AfterEach
    void end() {
        for (Process one : started) {
            one.descendants().forEach(ProcessHandle::destroyForcibly);
            one.destroyForcibly();
        }
    }

    /** This JVM and, unless they are pinned, the programs that it starts. */
    @BeforeEach
    void theProgramsCpusAreTheirs() throws IOException {
        assertThat(pin(ProcessHandle.current().pid(), OTHER_CPUS)).contains(OTHER_CPUS);
    }

    @AfterAll
    static void thisJvmHasAllCpusAgain() throws IOException {
        pin(ProcessHandle.current().pid(), String.join(",", CPUS) + "," + OTHER_CPUS);
    }

    /** All threads of a process; one may end meanwhile. */
    private static String pin(long pid, String cpus) throws IOException {
        Process taskset = new ProcessBuilder("taskset", "-a", "-p", "-c", cpus, Long.toString(pid))
                .redirectErrorStream(true).start();
        return new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
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

    /**
     * Against the same program on the same data that nobody tiers: both begin to serve at one moment, read the same keys of
     * the same working set, and have a CPU each, which they exchange again and again: where the machine beneath has less for
     * one of these CPUs, both have it. What tiers has CPUs beside them:
     * the CPU time that it takes is said by the command and is not in the loss. None of the figures that are judged is one that
     * the command says.
     */
    @ByTurns(of = 4) // six minutes each
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void fastMemoryIsHalvedAtLessThanATenthOfTheThroughput(String link) throws Exception {
        Path database = loaded(shared.resolve("db"), KEYS);
        int seconds = SECONDS + WATCH_SECONDS;
        Path go = folder.resolve("go");
        Path alone = folder.resolve("alone.txt");
        Process control = start(alone,
                pinned(CPUS.get(1), program(copy(database), KEYS, seconds, folder.resolve("control"), go)));
        Path said = folder.resolve("said.txt");
        Process host = start(said, tier(link,
                List.of("--watch", WATCH_SECONDS + "s", "--json"),
                pinned(CPUS.get(0), program(database, KEYS, seconds, folder.resolve("ops"), go))));
        await(alone, "ready");
        await(said, "ready");
        Files.createFile(go);
        TierSamples samples = serving(said, go, child(host, RocksDbWindow.class.getName()).pid(), control.pid());
        String text = ended(host, said);
        assertThat(text).contains("every value is what was written", "\"source\": \"damon", "\"to\": \"node:1",
                "\"link\": \"" + link);
        ended(control, alone);
        long before = samples.fastBytesBefore();
        double settled = samples.fastBytesSettled();
        double lost = samples.lost();
        System.out.print(text.replaceAll("(?s)\"memory\".*", "\n") + samples.text());
        System.out.printf(
                "%s: %.0f s; %.1f MiB in fast memory before, %.1f in the second half, %.0f %% less; %.3f operations for each"
                        + " of the control's before, %.3f tiered: %.1f %% lost%n",
                link, samples.tieredSeconds(), before / 1048576.0, settled / 1048576, 100 - settled * 100 / before,
                samples.shareAlone(), samples.shareTiered(), lost * 100);
        assertThat(samples.tieredSeconds()).as("time under tiering").isGreaterThan(SECONDS - 5);
        assertThat(samples.leastControlFastBytes()).as("the control, which nobody tiers")
                .isGreaterThan((long) (before * 0.9));
        assertThat(settled).as("bytes in fast memory, of " + before + ": " + samples.all()).isPositive()
                .isLessThan(before / 2.0);
        assertThat(lost).as("share of the throughput lost: " + samples.all()).isLessThan(0.1);
    }

    /** One each second until the program has served. */
    private TierSamples serving(Path said, Path go, long program, long control) throws IOException {
        long began = System.nanoTime();
        TierSamples samples = new TierSamples(WATCH_SECONDS);
        int turns = 0;
        while (!Files.readString(said).contains("served")) {
            assertThat(ProcessHandle.of(program)).as(Files.readString(said)).isPresent();
            if (Files.exists(folder.resolve("ops")) && Files.exists(folder.resolve("control"))) {
                pinMonitor();
                samples.add(new TierSamples.Sample((System.nanoTime() - began) / 1e9, fastBytes(program),
                        operations("ops"), fastBytes(control), operations("control")));
            }
            if (samples.all().size() / TURN > turns) {
                turns++;
                pin(program, CPUS.get(turns % 2));
                pin(control, CPUS.get((turns + 1) % 2));
            }
            if (samples.tieredSeconds() > SECONDS && samples.controlOperations() > CONTROL_OPERATIONS) {
                Files.deleteIfExists(go);
            }
            LockSupport.parkNanos(1_000_000_000);
        }
        samples.removeLast(); // it may have been taken when all was served
        return samples;
    }

    private long operations(String file) throws IOException {
        return Long.parseLong(Files.readString(folder.resolve(file)).strip());
    }

    /** DAMON's thread belongs to the tiering. */
    private void pinMonitor() throws IOException {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path one : processes) {
                String pid = one.getFileName().toString();
                if (monitors.add(pid) && comm(one).startsWith("kdamond")) {
                    assertThat(pin(Long.parseLong(pid), OTHER_CPUS)).contains(OTHER_CPUS);
                }
            }
        }
    }

    private static String comm(Path process) {
        try {
            return Files.readString(process.resolve("comm"));
        } catch (IOException e) {
            return ""; // it has ended
        }
    }

    /** Bytes of a process on the first node: pages with CPUs beside them. */
    private static long fastBytes(long pid) throws IOException {
        return bytes(pid, 0, false);
    }

    /** Bytes of a process on a node; of those that are no file's, if only these are asked for. */
    private static long bytes(long pid, int node, boolean anonymous) throws IOException {
        String name = "N" + node + "=";
        long kib = 0;
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/numa_maps"))) {
            long pages = 0;
            long size = 4;
            for (String word : anonymous && line.contains(" file=") ? new String[0] : line.split(" ")) {
                pages = word.startsWith(name) ? Long.parseLong(word.substring(3)) : pages;
                size = word.startsWith("kernelpagesize_kB=") ? Long.parseLong(word.substring(18)) : size;
            }
            kib += pages * size;
        }
        return kib << 10;
    }

    /** The agent, then the host; the database is read to its end by the program, which nobody manages any more. */
    @Test
    void aKilledAgentAndAKilledHostLeaveEveryValueReadable() throws Exception {
        Path said = folder.resolve("said.txt");
        Process host = start(said, tier("wave", List.of("--agent-process"), few(KILL_SECONDS)));
        await(said, AT_WORK);
        child(host, "--attach").destroyForcibly();
        await(said, "ended with status 137; nothing is demoted until the next one has started");
        ProcessHandle program = child(host, RocksDbWindow.class.getName());
        host.destroyForcibly().waitFor();
        await(said, "served.*every value is what was written");
        program.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** By Ctrl-C; the program goes on, and what nobody watches any more stays in no slow memory. */
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void whenTieringEndsTheProgramHasItsMemoryBack(String link) throws Exception {
        Path said = folder.resolve("said.txt");
        Process host = start(said, tier(link, List.of(), few(4 * KILL_SECONDS)));
        await(said, AT_WORK);
        ProcessHandle program = child(host, RocksDbWindow.class.getName());
        long before = bytes(program.pid(), 1, true);
        assertThat(before).as("bytes in slow memory; " + Files.readString(said)).isPositive();
        Signals.send(host.pid(), SIGINT);
        assertThat(host.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(program.isAlive()).as(Files.readString(said)).isTrue();
        long after = bytes(program.pid(), 1, true);
        System.out.println(Files.readString(said));
        System.out.println(link + ": " + before + " bytes in slow memory under tiering, " + after + " after it");
        assertThat(after).as("of " + before + " bytes; some pages are busy").isLessThan(before / 10 + 65_536);
        program.destroyForcibly();
    }

    /** What it left of DAMON, which would watch for nobody as long as the program runs, and keep out all others. */
    @Test
    void theNextTierTakesOverWhatAKilledOneLeftOfDamon() throws Exception {
        Path state = Path.of("/sys/kernel/mm/damon/admin/kdamonds/0/state");
        Path said = folder.resolve("killed.txt");
        await(state, false, said); // of another test's program, whose end DAMON sees a sample later
        Process first = start(said, Cli.command(List.of(), "tier", "--source", "damon", "--", "sleep", "1000"));
        await(state, true, said);
        ProcessHandle program = child(first, "sleep");
        first.destroyForcibly().waitFor();
        await(state, true, said); // nobody has turned it off
        Path next = folder.resolve("next.txt");
        Process second = start(next, Cli.command(List.of(), "tier", "--source", "damon", "--", "sleep", "3"));
        assertThat(ended(second, next, 0)).contains("access bits from damon");
        assertThat(Path.of("/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds")).hasContent("0");
        program.destroyForcibly();
    }

    private static void await(Path state, boolean isOn, Path said) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (isOn(state) != isOn) {
            assertThat(System.nanoTime()).as(Files.exists(said) ? Files.readString(said) : "").isLessThan(deadline);
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** The kernel may be busy with the file. */
    private static boolean isOn(Path state) {
        try {
            return Files.readString(state).startsWith("on");
        } catch (IOException e) {
            return false;
        }
    }

    /** The program; its database is opened again. */
    @Test
    void aKilledProgramLeavesEveryValueReadable() throws Exception {
        Path said = folder.resolve("said.txt");
        Process host = start(said, tier("swap", List.of(), few(KILL_SECONDS)));
        await(said, AT_WORK);
        child(host, RocksDbWindow.class.getName()).destroyForcibly();
        assertThat(host.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(host.exitValue()).as(Files.readString(said)).isEqualTo(128 + 9);
        Path again = folder.resolve("again.txt");
        assertThat(ended(start(again, few(0)), again)).contains("opened again",
                "every value is what was written");
    }

    /** The folder of a database with all its values. */
    private Path loaded(Path database, int keys) throws Exception {
        if (!Files.exists(database)) {
            Path said = folder.resolve("load.txt");
            ended(start(said, program(database, keys, 0, folder.resolve("loads"), null)), said);
        }
        return database;
    }

    /** One with a lock of its own; files of values, which never change, are the same. */
    private Path copy(Path database) throws IOException {
        Path copy = Files.createDirectory(folder.resolve("copy"));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(database)) {
            for (Path file : files) {
                Path to = copy.resolve(file.getFileName());
                if (file.toString().endsWith(".sst")) {
                    Files.createLink(to, file);
                } else {
                    Files.copy(file, to);
                }
            }
        }
        return copy;
    }

    private List<String> few(int seconds) {
        return program(folder.resolve("db"), FEW_KEYS, seconds, folder.resolve("ops"), null);
    }

    private static List<String> program(Path database, int keys, int seconds, Path ops, @Nullable Path go) {
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms16m", "-Xmx32m",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                RocksDbWindow.class.getName(), database.toString(), Integer.toString(keys), Integer.toString(seconds),
                Integer.toString(WINDOW_OPERATIONS), ops.toString()));
        if (go != null) {
            words.add(go.toString());
        }
        return words;
    }

    private List<String> tier(String link, List<String> options, List<String> program) {
        List<String> words = new ArrayList<>(List.of("tier", "--link", link, "--to", "node:1", "--source", "damon",
                "--period", "1s", "--budget", "0.2", "--most-slow", "0.5", "--ops",
                folder.resolve("ops").toString()));
        words.addAll(options);
        words.add("--");
        words.addAll(program);
        return Cli.command(List.of(), words.toArray(String[]::new));
    }

    private static List<String> pinned(String cpu, List<String> command) {
        List<String> words = new ArrayList<>(List.of("taskset", "-c", cpu));
        words.addAll(command);
        return words;
    }

    private Process start(Path said, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        started.add(process);
        return process;
    }

    /** Output of a RocksDB program, or of what ran one, that has ended well. */
    private static String ended(Process process, Path said) throws Exception {
        return ended(process, said, RocksDbWindow.GOOD);
    }

    private static String ended(Process process, Path said, int status) throws Exception {
        boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        String text = Files.readString(said);
        assertThat(ended).as(text).isTrue();
        assertThat(process.exitValue()).as(text).isEqualTo(status);
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

    private static ProcessHandle child(Process host, String word) {
        return host.children().filter(one -> words(one).contains(word)).findFirst().orElseThrow();
    }

    private static String words(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return ""; // it has ended
        }
    }
}
