package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentException;
import dev.bascule.ffi.Signals;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterReader;
import dev.bascule.junit.ByTurns;
import dev.bascule.run.Errors;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** What happens to an agent while a run goes on, by its policy's fault or from outside: what the run's user reads. */
@Tag("process")
@Timeout(240)
class AgentMishapsProcessTest {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    @TempDir
    private Path folder = Path.of("");

    private @Nullable Process host;

    @AfterEach
    void end() {
        if (host != null) {
            host.destroyForcibly();
        }
    }

    private static void await(Path said, BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(Files.readString(said)).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private long count(Counter counter) {
        try (CounterReader reader = CounterReader.open(folder)) {
            return reader.get(counter);
        } catch (AgentException e) {
            return 0; // not there yet
        }
    }

    /** A second agent is refused; one that stands still or is killed is missed, and the run is not called right. */
    @ByTurns(of = 2)
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = { "19 ; (no decision for CPU \\d|silent for more).* was stopped by a signal",
            "9 ; agent ended: agent process \\d+ killed by signal 9" })
    void aSecondAgentIsRefusedAndOneThatIsStoppedOrKilledIsSaidToHaveFailed(int signal, String words)
            throws Exception {
        Path said = folder.resolve("host.txt");
        Process run = new ProcessBuilder(
                Cli.command(Cli.ONE_CARRIER, "run", "--quick", "--workload", "spin", "--transport",
                        "wave", "--capacity", "1000", "--load", "0.5", "--duration", "4s", "--report", "none",
                        "--fallback-limit", "1", "--interrupt", "--region", folder.toString()))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile()).start();
        host = run;
        await(said, () -> count(Counter.DECISIONS) > 100 && count(Counter.AGENT_READY) == 1);
        Cli second = Cli.call("agent", "--attach", folder.toString(), "--transport", "wave");
        assertThat(second.status()).as(second.out() + second.err()).isEqualTo(Errors.FAILED);
        assertThat(second.err()).startsWith("bascule: attach agent 0 to epoch ")
                .contains("another agent holds this place; stop it").doesNotContain("\tat ");
        Signals.send(run.children().findFirst().orElseThrow().pid(), signal);
        assertThat(run.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(said)).isTrue();
        String all = Files.readString(said).replaceAll("\\s+", " ");
        assertThat(run.exitValue()).as(all).isEqualTo(Errors.FAILED);
        assertThat(all).contains("WRONG: wave: the agent failed ").contains("and nobody had asked for that")
                .containsPattern(words).contains("Every request was answered exactly once and rightly")
                .doesNotContain("bug in");
    }

    /** Forgets a task; runs out of memory. */
    @ByTurns(of = 2)
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "Forgetful | on-host | passed over by the policy until the host ran | starves: runnable for",
            "Hoarder | swap | OutOfMemoryError | the agent failed" })
    void aPolicyThatForgetsTasksOrKeepsTooMuchIsNotCalledRight(String policy, String transport, String words,
            String more) throws Exception {
        Cli run = Cli.run(Cli.ONE_CARRIER, "run", "--quick", "--workload", "spin", "--transport", transport,
                "--capacity",
                "4000", "--load", "0.5", "--duration", "2s", "--report", "none", "--fallback-limit", "1", "--patient",
                "--starvation", "100ms", "--region", folder.toString(), "--policy",
                BadPolicies.class.getName() + "$" + policy);
        String said = run.out().replaceAll("\\s+", " ");
        assertThat(run.status()).as(said + run.err()).isEqualTo(Errors.FAILED);
        assertThat(said).contains("WRONG: " + transport + ": ").contains(words).contains(more)
                .contains("Every request was answered exactly once and rightly").doesNotContain("bug in");
    }
}
