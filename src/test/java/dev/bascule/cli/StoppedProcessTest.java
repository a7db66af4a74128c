package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.agent.AgentException;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.Signals;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The main job, of which the host, the agents or all are stopped for a while: whose absence is held against whom. */
@Tag("process")
@Timeout(240)
class StoppedProcessTest {
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    /** The hard limit is 100 windows: 3 s. */
    private static final String WINDOW = "30ms";

    @TempDir
    private Path folder = Path.of("");

    private @Nullable Process run;

    @AfterEach
    void end() {
        if (run != null) {
            run.children().forEach(ProcessHandle::destroyForcibly);
            run.destroyForcibly();
        }
    }

    private long count(Counter counter) {
        try (CounterReader reader = CounterReader.open(folder)) {
            return reader.get(counter);
        } catch (AgentException e) {
            return 0; // not there yet
        }
    }

    private static void await(Path said, BooleanSupplier condition) throws Exception {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as(Files.readString(said)).isLessThan(PATIENCE_NANOS);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The host, or all as in a container that is frozen: nobody was silent. Agents that were silent for less than their limit. */
    @ByTurns(of = 3)
    @ParameterizedTest
    @CsvSource({ "on-host, host, 1, 4000", "wave, host, 2, 4000", "swap, host, 4, 4000", "on-host, all, 4, 4000",
            "wave, all, 1, 4000", "swap, all, 2, 4000", "swap, agents, 1, 1000" })
    void nobodyIsFencedForAnothersAbsence(String transport, String who, int agents, long millis) throws Exception {
        Path said = folder.resolve("host.txt");
        String number = Integer.toString(agents);
        Process host = new ProcessBuilder(Cli.command(Cli.ONE_CARRIER, "run", "--quick", "--workload", "spin",
                "--transport",
                transport, "--capacity", "1000", "--load", "0.5", "--duration", "2s", "--report", "none", "--cpus",
                number, "--agents", number, "--window", WINDOW, "--fallback-limit", "1", "--region",
                folder.toString())).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        run = host;
        await(said, () -> count(Counter.DECISIONS) > 100 && count(Counter.AGENT_READY) == 1);
        List<Long> all = new ArrayList<>(host.children().map(ProcessHandle::pid).toList());
        assertThat(all).hasSize(agents);
        if (who.equals("host")) {
            all.clear();
        }
        if (!who.equals("agents")) {
            all.addFirst(host.pid());
        }
        stop(all, millis);
        assertThat(host.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(said)).isTrue();
        String text = Files.readString(said).replaceAll("\\s+", " ");
        assertThat(host.exitValue()).as(text).isZero();
        assertThat(text).containsPattern("lost requests 0 .*wrong answers requests 0 .*agent restarts times 0");
    }

    private void stop(List<Long> processes, long millis) throws Exception {
        processes.forEach(pid -> Signals.send(pid, Linux.SIGSTOP));
        long stopped = System.nanoTime();
        await(folder.resolve("host.txt"), () -> System.nanoTime() - stopped > millis * 1_000_000);
        processes.forEach(pid -> Signals.send(pid, Linux.SIGCONT));
    }
}
