package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.Session;
import dev.bascule.memory.ScratchFolder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A host of the experiments with two agents, both played by threads of the test. */
class SoloAgentsTest {
    private static final long SECOND = 1_000_000_000;
    private static final long HARD_NANOS = 20_000_000;
    private static final long MOST_NANOS = 20_000_000_000L;

    private static AgentProcess sleeper(ScratchFolder folder) {
        return new AgentProcess(List.of("sleep", "1000"), folder.path().resolve("agent.log"));
    }

    @Test
    void aStartMayTakeHalfAMinuteOrThreeHardLimitsIfThatIsMore() throws Exception {
        EnclaveShape shape = new EnclaveShape(1, 4, 1, 64, 1);
        try (ScratchFolder folder = Session.newRunDirectory();
                Session session = Session.onHost(folder.path(), false);
                AgentProcess process = sleeper(folder)) {
            MechanismEnd end = session.openHost(shape);
            process.start();
            long before31 = System.nanoTime() - 31 * SECOND;
            SoloAgent quick = new SoloAgent(end, 0, new Watchdog(HARD_NANOS, HARD_NANOS), process);
            assertThatThrownBy(() -> quick.hasStarted(before31)).hasMessageContaining("not ready after 30 s");
            SoloAgent slow = new SoloAgent(end, 0, new Watchdog(HARD_NANOS, 60 * SECOND), process);
            assertThat(slow.hasStarted(before31)).isFalse();
            assertThatThrownBy(() -> slow.hasStarted(before31 - 150 * SECOND))
                    .hasMessageContaining("not ready after 180 s");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1 })
    void eachAgentIsWaitedForAndItsHeartIsWatched(int silent) throws Exception {
        EnclaveShape shape = new EnclaveShape(2, 8, 2, 64, 1);
        try (ScratchFolder folder = Session.newRunDirectory();
                Session session = Session.onHost(folder.path(), false)) {
            MechanismEnd end = session.openHost(shape);
            try (SoloHost host = new SoloHost(end, () -> new Watchdog(HARD_NANOS, HARD_NANOS),
                    List.of(sleeper(folder), sleeper(folder)), 1, -1)) {
                AgentEnd one = session.attach(1 - silent);
                AgentEnd other = session.attach(silent);
                one.ready();
                Thread late = Thread.ofPlatform().start(other::ready);
                host.useExitReports(false); // hearts only
                host.start();
                late.join();
                assertThat(end.isReady(silent)).as("the host waited for both").isTrue();
                SoloFigures figures = host.run(SoloLoad.IDLE, MOST_NANOS, () -> {
                    one.heartbeat(); // in step with the host's looks
                    return host.figures().fences > 0;
                });
                assertThat(figures.fences).isEqualTo(1);
            }
        }
    }
}
