package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentException;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterReader;
import dev.bascule.junit.ByTurns;
import dev.bascule.local.LocalProtocol;
import dev.bascule.run.Errors;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts killed with SIGKILL: what becomes of their agents, of their region, and of what they left lying about. */
@Tag("process")
class HostRestartTest {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    @TempDir
    private Path temporary = Path.of("");

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    private Process start(String... arguments) throws Exception {
        Path said = Files.createTempFile(temporary, "said", ".txt");
        Process process = new ProcessBuilder(Cli.command(flags(), arguments)).redirectErrorStream(true)
                .redirectOutput(said.toFile()).redirectInput(Path.of("/dev/null").toFile()).start();
        started.add(process);
        return process;
    }

    private List<String> flags() {
        return List.of("-Djava.io.tmpdir=" + temporary, "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1");
    }

    private static String[] run(String... more) {
        return Stream
                .concat(Stream.of("run", "--quick", "--load", "0.2", "--report", "none", "--seed", "7", "--patient"),
                        Arrays.stream(more))
                .toArray(String[]::new);
    }

    private void await(String what, BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waiting for %s: %s", what, said()).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private String said() throws Exception {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(temporary)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".txt")).toList()) {
                all.append(Files.readString(file)).append("--\n");
            }
        }
        return all.toString();
    }

    /** Decisions that the host of a run directory has enforced so far. */
    private static long decisions(Path directory) {
        try (CounterReader reader = CounterReader.open(directory)) {
            return reader.get(Counter.DECISIONS);
        } catch (AgentException e) {
            return 0; // not there yet
        }
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anAgentOutlivesItsHostAndServesTheNextOneOnTheSameRegion(String transport) throws Exception {
        Path region = Files.createDirectory(temporary.resolve("region"));
        Process agent = start("agent", "--attach", region.toString(), "--transport", transport, "--stay");
        String[] words = { "--workload", "spin", "--transport", transport, "--region", region.toString(),
                "--external-agent" };
        Process killed = start(run(Stream.concat(Arrays.stream(words), Stream.of("--duration", "60s"))
                .toArray(String[]::new)));
        await("decisions of the first host", () -> decisions(region) > 2_000);
        killed.destroyForcibly().waitFor();
        Cli second = Cli.run(flags(), run(Stream.concat(Arrays.stream(words), Stream.of("--duration", "1s", "--json"))
                .toArray(String[]::new)));
        assertThat(second.status()).as(second.err()).isZero();
        assertNothingLost(second.out());
        assertThat(decisions(region)).as("decisions of the same agent for the second host: %s", second.err())
                .isGreaterThan(100);
        assertThat(agent.isAlive()).as("the agent is still the first: %s", said()).isTrue();
    }

    @ByTurns(of = 4)
    @ParameterizedTest(name = "over {0}, {1} agents")
    @CsvSource({ "on-host,1", "wave,2", "swap,4", "on-host,4" })
    void aHostsOwnAgentsGoWithItAndTheNextHostStartsOthers(String transport, int agents) throws Exception {
        Path region = temporary.resolve("region");
        String[] words = { "--workload", "spin", "--transport", transport, "--region", region.toString(), "--cpus", "4",
                "--agents", Integer.toString(agents) };
        Process killed = start(run(Stream.concat(Arrays.stream(words), Stream.of("--duration", "60s"))
                .toArray(String[]::new)));
        await("decisions of the first host", () -> decisions(region) > 2_000);
        List<ProcessHandle> children = killed.descendants().toList();
        assertThat(children).hasSize(agents);
        killed.destroyForcibly().waitFor();
        Cli second = Cli.run(flags(), run(Stream.concat(Arrays.stream(words), Stream.of("--duration", "1s", "--json"))
                .toArray(String[]::new)));
        assertThat(second.status()).as(second.err()).isZero();
        assertNothingLost(second.out());
        assertThat(decisions(region)).isGreaterThan(100);
        await("the end of the orphan", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    @ByTurns(of = 3)
    @ParameterizedTest(name = "over {0}, {1} agents")
    @CsvSource({ "on-host,4", "wave,1", "swap,2" })
    void aRegionThatIsCutUnderItsHostEndsTheRunWithAMessage(String transport, int agents) throws Exception {
        Path region = temporary.resolve("region");
        Process host = start(run("--workload", "spin", "--transport", transport, "--region", region.toString(),
                "--duration", "60s", "--cpus", "4", "--agents", Integer.toString(agents)));
        await("decisions", () -> decisions(region) > 500);
        Path file = region.resolve(transport.equals(LocalProtocol.NAME) ? "local.mem" : "nic.mem");
        try (RandomAccessFile memory = new RandomAccessFile(file.toFile(), "rw")) {
            memory.setLength(0);
        }
        assertThat(host.waitFor(60, TimeUnit.SECONDS)).as("ends: %s", said()).isTrue();
        assertThat(host.exitValue()).as(said()).isEqualTo(Errors.FAILED);
        assertThat(said()).contains("cut").contains("new").doesNotContain("bug in Bascule");
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aRegionThatIsCutBeforeAnAgentAttachesIsSaidAtOnce(String transport) throws Exception {
        Path region = temporary.resolve("region");
        Process host = start(run("--workload", "spin", "--transport", transport, "--region", region.toString(),
                "--external-agent"));
        await("the host", () -> {
            try {
                return said().contains("waiting for: bascule agent") && Files.exists(region.resolve("counters"));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        Path file = region.resolve(transport.equals(LocalProtocol.NAME) ? "local.mem" : "nic.mem");
        try (RandomAccessFile memory = new RandomAccessFile(file.toFile(), "rw")) {
            memory.setLength(0);
        }
        assertThat(host.waitFor(60, TimeUnit.SECONDS)).as("ends: %s", said()).isTrue();
        assertThat(host.exitValue()).as(said()).isEqualTo(Errors.FAILED);
        assertThat(said()).contains("cut").contains("new").as("it waits for no agent").doesNotContain("no agent yet");
    }

    private static void assertNothingLost(String json) {
        assertThat(json).contains("\"lost\": 0").contains("\"duplicated\": 0").doesNotContain("\"served\": 0");
    }

    @Test
    void whatAKilledRunLeavesIsRemovedByTheNext() throws Exception {
        Assumptions.assumeTrue(dev.bascule.workload.RocksDbLibrary.problem().isEmpty(), "RocksDB works here");
        Process killed = start(run("--transport", "wave", "--duration", "60s"));
        await("the run directory", () -> runDirectories(killed.pid()).stream().anyMatch(d -> decisions(d) > 100));
        List<Path> left = new ArrayList<>(runDirectories(killed.pid()));
        try (Stream<Path> files = Files.list(temporary)) {
            files.filter(Files::isDirectory).forEach(left::add);
        }
        assertThat(left).as("run directory and database").hasSize(2);
        killed.destroyForcibly().waitFor();
        assertThat(left).allMatch(Files::isDirectory);
        Cli next = Cli.run(flags(), run("--transport", "on-host", "--workload", "spin", "--duration", "100ms"));
        assertThat(next.status()).as(next.err()).isZero();
        assertThat(next.err()).containsPattern("removed [1-9][0-9]* folder");
        assertThat(left).noneMatch(Files::exists);
        try (Stream<Path> files = Files.list(temporary)) {
            assertThat(files.filter(path -> !path.toString().endsWith(".txt"))).as("also no library").isEmpty();
        }
    }

    /** Directories of regions that a process has mapped. */
    private static List<Path> runDirectories(long pid) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream()
                    .filter(line -> line.contains("/bascule-") && line.endsWith("/nic.mem"))
                    .map(line -> Path.of(line.substring(line.indexOf('/'))).getParent()).distinct().toList();
        } catch (java.io.IOException e) {
            return List.of();
        }
    }

    @Test
    void anExternalAgentNeedsARegionByName() throws Exception {
        Cli run = Cli.run(run("--workload", "spin", "--external-agent"));
        assertThat(run.status()).isEqualTo(Errors.USAGE);
        assertThat(run.err()).contains("--external-agent").contains("--region DIR").doesNotContain("\tat ");
    }
}
