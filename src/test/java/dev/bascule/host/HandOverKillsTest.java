package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SIGKILL of either agent's process in the middle of a hand-over, under load: no job is lost, and an agent goes on. */
@Tag("process")
@Timeout(240)
class HandOverKillsTest {
    private static final int JOBS = 3000;
    private static final long INTERVAL_NANOS = 50_000;
    private static final long LIMIT_NANOS = 100_000_000_000L;

    @TempDir
    private Path directory;

    private final AtomicIntegerArray runs = new AtomicIntegerArray(JOBS);
    private int served;

    private List<String> command(String transport, String step, Path reached, String... more) {
        List<String> words = new ArrayList<>(List.of("agent", "--child", "--attach", directory.toString(),
                "--transport", transport, "--policy", StepPolicy.class.getName(), "--policy-option", "step=" + step,
                "--policy-option", "reached=" + reached));
        words.addAll(List.of(more));
        return AgentProcess.ownCommand(List.of("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1"), words);
    }

    private static void await(String what, LiveHost host, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("%s: %s", what, host.incidents()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void serve(LiveHost host) throws InterruptedException {
        served++;
        assertThat(host.serve(JobSource.every(INTERVAL_NANOS, JOBS), LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
        for (int job = 0; job < JOBS; job++) {
            assertThat(runs.get(job)).as("runs of job %d", job).isEqualTo(served);
        }
    }

    @ParameterizedTest
    @CsvSource({ "on-host,restore,new", "wave,restore,old", "swap,reset,new", "wave,reset,new", "on-host,reset,old" })
    void nothingIsLostAndAnAgentGoesOn(String transport, String step, String victim) throws Exception {
        Path reached = directory.resolve("reached");
        try (Session session = KilledHost.session(transport, directory, false)) {
            MechanismEnd end = session.openHost(EnclaveShape.of(1, 64));
            AgentProcess agent = new AgentProcess(command(transport, "none", reached),
                    directory.resolve(AgentLog.FILE));
            try (LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE),
                    new LiveOptions(32, 1, 1 << 16, 200_000, 2_000_000_000L, true), agent,
                    (job, yield) -> runs.incrementAndGet(job))) {
                host.start();
                await("the first agent", host, host::isAgentReady);
                serve(host);
                ProcessHandle old = ProcessHandle.of(agent.pid()).orElseThrow();
                agent.upgrade(command(transport, step, reached, "--take-over"), command(transport, "none", reached));
                await("the hand-over's step", host, () -> Files.exists(reached));
                ProcessHandle successor = ProcessHandle.current().children().filter(one -> one.isAlive()
                        && one.pid() != old.pid()).findFirst().orElseThrow();
                (victim.equals("new") ? successor : old).destroyForcibly();
                serve(host);
                if (step.equals("reset") && victim.equals("old")) { // nobody else is there to go on: it hangs in reset
                    successor.destroyForcibly();
                }
                await("the upgrade's end", host, () -> !host.upgrades().isEmpty());
                await("an agent", host, host::isAgentReady);
                assertThat(host.upgrades()).singleElement().satisfies(
                        upgrade -> assertThat(upgrade.failure()).as("it was killed").isNotNull());
                assertThat(old.isAlive()).as("the old one").isEqualTo(victim.equals("new"));
                assertThat(successor.isAlive()).as("the new one").isFalse();
                serve(host);
                upgradeAgain(host, agent, transport, reached);
            }
        }
    }

    /** What was killed is in nobody's way. */
    private void upgradeAgain(LiveHost host, AgentProcess agent, String transport, Path reached) throws Exception {
        long before = agent.pid();
        agent.upgrade(command(transport, "none", reached, "--take-over"), command(transport, "none", reached));
        await("the next upgrade", host, () -> host.upgrades().size() == 2);
        assertThat(host.upgrades().getLast().failure()).isNull();
        assertThat(agent.pid()).isNotEqualTo(before);
        serve(host);
    }
}
