package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentException;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterReader;
import dev.bascule.run.Errors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CPUs that come and go while a run goes on, and requests that wait for a disk or a socket: what a user sees. */
@Tag("process")
@Timeout(240)
class CpuProcessTest {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    @TempDir
    private Path temporary = Path.of("");

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

    private static long count(Path region, Counter counter) {
        try (CounterReader reader = CounterReader.open(region)) {
            return reader.get(counter);
        } catch (AgentException e) {
            return 0; // not there yet
        }
    }

    private static String incidents(Path region) {
        try {
            return Files.readString(region.resolve("incidents.log"));
        } catch (IOException e) {
            return ""; // not there yet
        }
    }

    private static Cli cpu(Path region, String... words) {
        String[] all = new String[words.length + 3];
        System.arraycopy(words, 0, all, 3, words.length);
        all[0] = "cpu";
        all[1] = "--region";
        all[2] = region.toString();
        return Cli.call(all);
    }

    private static String ok(Cli cli) {
        assertThat(cli.status()).as(cli.err()).isZero();
        return cli.out();
    }

    private static void refused(Cli cli, String words) {
        assertThat(cli.err()).contains(words).doesNotContain("\tat ");
        assertThat(cli.status()).isEqualTo(Errors.FAILED);
    }

    @Test
    void cpusLeaveAndComeBackByCommandAndByPlanAndNoRequestIsLost() throws Exception {
        Path region = Files.createDirectory(temporary.resolve("region"));
        Path said = temporary.resolve("host.txt");
        host = new ProcessBuilder(Cli.command(Cli.ONE_CARRIER, "run", "--quick", "--workload", "spin", "--cpus", "4",
                "--load", "0.5", "--capacity", "4000", "--duration", "6s", "--report", "none", "--patient", "--json",
                "--in-process", "--transport", "wave", "--fault", "take:1@200ms+300ms", "--tick", "2ms", "--affinity",
                "long=2-3", "--workers", "20", "--batch", "4", "--region", region.toString()))
                .redirectErrorStream(true).redirectOutput(said.toFile()).start();
        await(said, () -> count(region, Counter.DECISIONS) > 100 && count(region, Counter.CPUS_AVAILABLE) > 0);
        await(said, () -> incidents(region).contains("CPU 1 was given back")); // the plan's CPU is one of the commands'
        assertThat(ok(cpu(region, "2", "offline"))).contains("CPU 2: offline\n", "CPU 3: available\n");
        assertThat(ok(cpu(region, "2", "offline"))).as("it is already").contains("CPU 2: offline\n");
        await(said, () -> count(region, Counter.CPUS_AVAILABLE) <= 3);
        refused(cpu(region, "9", "offline"), "there is no CPU 9; CPUs are 0 to 3");
        ok(cpu(region, "0", "offline"));
        ok(cpu(region, "1", "offline"));
        refused(cpu(region, "3", "offline"), "unplug CPU 3: it is the last one online");
        assertThat(ok(cpu(region, "--json"))).contains("\"state\": \"offline\"", "\"cpu\": 3");
        ok(cpu(region, "0", "online"));
        ok(cpu(region, "1", "online"));
        assertThat(ok(cpu(region, "2", "online"))).doesNotContain("offline");
        Process run = host;
        assertThat(run.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(said)).isTrue();
        String all = Files.readString(said);
        assertThat(run.exitValue()).as(all).isZero();
        assertThat(all).contains("\"lost\": 0", "\"duplicated\": 0", "\"event\": \"CPU 1 was taken\"",
                "\"event\": \"CPU 1 was given back\"", "\"event\": \"CPU 2 went offline\"",
                "\"event\": \"CPU 2 came online\"");
        assertThat(incidents(region)).contains("CPU 2 went offline");
        refused(cpu(region, "2", "offline"), "has ended; start it again");
    }

    @ParameterizedTest
    @CsvSource({ "disk,wave,a file of 8,SCAN", "socket,swap,behind a TCP socket,CHAIN" })
    void requestsThatWaitAreAllAnsweredAndRightly(String workload, String transport, String what, String kind)
            throws Exception {
        Cli run = Cli.run("run", "--quick", "--workload", workload, "--transport", transport, "--in-process",
                "--patient", "--capacity", "400", "--load", "0.5", "--duration", "500ms", "--report", "none");
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains(what, kind, "Every request was answered exactly once and rightly")
                .containsPattern("lost +requests +0").containsPattern("wrong answers +requests +0");
    }

    @ParameterizedTest
    @ValueSource(strings = { "offline:4@1s", "explode:1@1s", "offline:1", "online:1@1s+1s", "offline:1@soon" })
    void aPlanThatIsNoneIsRefusedWithTheForm(String fault) {
        Cli run = Cli.call("run", "--cpus", "4", "--workload", "spin", "--fault", fault);
        assertThat(run.status()).isEqualTo(Errors.USAGE);
        assertThat(run.err()).containsAnyOf("--fault " + fault, "is no time").doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource({ "--affinity,GET=0,no class 'GET'", "--affinity,long=7,CPUs are 0 to 3",
            "--affinity,long=x,as 0-1 or 0",
            "--workers,0,1 to 256", "--tick,10us,1ms or more", "--batch,0,1 or more" })
    void anOptionThatIsNoneIsRefused(String option, String value, String words) {
        Cli run = Cli.call("run", "--cpus", "4", "--workload", "spin", option, value);
        assertThat(run.status()).isEqualTo(Errors.USAGE);
        assertThat(run.err()).contains(words).doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = { "1", "two offline", "2 explode" })
    void aChangeThatIsNoneIsRefusedBeforeAHostIsLookedFor(String words) {
        Cli said = cpu(temporary.resolve("none"), words.split(" "));
        assertThat(said.status()).isEqualTo(Errors.USAGE);
        assertThat(said.err()).contains(words.contains("explode")
                ? "'explode' is nothing that happens to a CPU"
                : "a CPU's number and what happens to it");
    }
}
