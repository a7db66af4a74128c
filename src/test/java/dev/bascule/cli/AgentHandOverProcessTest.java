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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents' processes that are terminated or upgraded while a run goes on: what its user reads. */
@Tag("process")
@Timeout(240)
class AgentHandOverProcessTest {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    @TempDir
    private Path temporary = Path.of("");

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    private Process start(Path said, String... words) throws Exception {
        Process process = new ProcessBuilder(Cli.command(Cli.ONE_CARRIER, words)).redirectErrorStream(true)
                .redirectOutput(said.toFile()).redirectInput(Path.of("/dev/null").toFile()).start();
        started.add(process);
        return process;
    }

    private Process host(Path said, Path region, String transport, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "--quick", "--workload", "spin", "--load", "0.5",
                "--capacity", "4000", "--duration", "10s", "--report", "none", "--patient", "--seed", "7",
                "--transport",
                transport, "--region", region.toString()));
        words.addAll(List.of(more));
        return start(said, words.toArray(String[]::new));
    }

    private static void await(Path said, BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(Files.readString(said)).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static long count(Path region, Counter counter) {
        try (CounterReader reader = CounterReader.open(region)) {
            return reader.get(counter);
        } catch (AgentException e) {
            return 0; // not there yet
        }
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anAgentThatIsTerminatedLeavesAndTheRunSaysSo(String transport) throws Exception {
        Path region = Files.createDirectory(temporary.resolve("region"));
        Path said = temporary.resolve("host.txt");
        Process host = host(said, region, transport, "--external-agent");
        Process agent = start(temporary.resolve("agent.txt"), "agent", "--attach", region.toString(), "--transport",
                transport, "--stay");
        await(said, () -> count(region, Counter.DECISIONS) > 200);
        agent.destroy();
        assertThat(agent.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(agent.exitValue()).as(Files.readString(temporary.resolve("agent.txt"))).isEqualTo(128 + 15);
        assertThat(host.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(said)).isTrue();
        assertThat(Files.readString(said)).contains("agent left").containsPattern("lost +requests +0")
                .containsPattern("duplicated +requests +0").doesNotContain("silent").doesNotContain("the agent failed");
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anUpgradeReplacesTheAgentOfARunAndSaysHowLongThereWasNone(String transport) throws Exception {
        Path region = Files.createDirectory(temporary.resolve("region"));
        Path said = temporary.resolve("host.txt");
        Process host = host(said, region, transport, "--json");
        await(said, () -> count(region, Counter.DECISIONS) > 200);
        ProcessHandle before = host.children().findFirst().orElseThrow();
        Cli wrong = Cli.run("upgrade", "--region", region.toString(), "--policy", "no.such.Policy");
        assertThat(wrong.status()).as(wrong.err()).isEqualTo(Errors.FAILED);
        assertThat(wrong.err()).contains("no.such.Policy").doesNotContain("\tat ");
        assertThat(before.isAlive()).isTrue();
        Cli upgrade = Cli.run("upgrade", "--region", region.toString(), "--policy", "round-robin", "--policy-option",
                "quantum=30us");
        assertThat(upgrade.status()).as("%s, the host: %s", upgrade.err(), Files.readString(said)).isZero();
        assertThat(upgrade.out()).contains("upgraded to round-robin").contains("ms without an agent");
        await(said, () -> !before.isAlive());
        assertThat(host.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(said)).isTrue();
        assertThat(Files.readString(said)).contains("\"upgraded\": true").contains("\"gapMicros\"")
                .contains("\"lost\": 0").contains("\"duplicated\": 0").doesNotContain("silent");
    }
}
