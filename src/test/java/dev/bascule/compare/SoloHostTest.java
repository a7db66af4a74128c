package dev.bascule.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.AgentProcess;
import dev.bascule.host.LocalSession;
import dev.bascule.host.WaveSession;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The host of the experiments, with real agents. */
@Tag("process")
class SoloHostTest {
    private static final long LONG_NANOS = 60_000_000_000L;
    /** Longer than the patience with an agent that is still cold: 25 hard limits of 20 ms, doubled up to 8 times. */
    private static final long STOP_NANOS = 20_000_000_000L;

    private static Bench bench() {
        return new Bench(List.of(LocalSession.NAME, WaveSession.NAME),
                (name, directory) -> name.equals(WaveSession.NAME)
                        ? new WaveSession(directory, WaveSession.Setup.DEFAULT, false)
                        : new LocalSession(directory, false),
                (session, collecting) -> new AgentProcess(AgentProcess.ownCommand(
                        List.of("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1"),
                        List.of("agent", "--child", "--attach", session.directory().toString(), "--transport",
                                session.name())),
                        session.directory().resolve("agent.log")),
                what -> {}, true, 1, 200_000, 20_000_000, 64, 1, -1);
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalSession.NAME, WaveSession.NAME })
    void agentsAreKilledAndStoppedWhileTasksComeAndGoAndNoneIsLost(String transport) throws InterruptedException {
        try (Bed bed = Bed.open(bench(), transport, 2, false)) {
            SoloHost host = bed.host();
            SoloLoad load = new SoloLoad(16, 20_000, 2_000, true);
            SoloFigures figures = host.run(load, LONG_NANOS, () -> host.figures().committed() > 100);
            assertThat(figures.committed()).isGreaterThan(100);
            assertThat(figures.changes).isPositive();
            inflict(host, load, () -> host.trace().kill(host.agent().pid(), System.nanoTime()));
            assertThat(host.trace().fencedNanos()).isPositive();
            assertThat(host.trace().recoveredNanos()).isGreaterThan(host.trace().fencedNanos());
            assertThat(host.missingTasks()).isZero();
            inflict(host, load,
                    () -> host.trace().pause(host.agent().pid(), System.nanoTime(), STOP_NANOS));
            assertThat(host.trace().why()).as("a stopped agent does not exit").contains("hard limit");
            assertThat(host.trace().locals()).isPositive();
            assertThat(host.missingTasks()).isZero();
            SoloFigures idle = host.run(SoloLoad.IDLE, 20_000_000);
            assertThat(idle.committed()).isZero();
        }
    }

    /** Set again as long as the agent was being replaced for another reason at that moment. */
    private static void inflict(SoloHost host, SoloLoad load, Runnable fault) throws InterruptedException {
        do {
            host.run(load, LONG_NANOS, host::isAgentWarm);
            fault.run();
            host.run(load, LONG_NANOS, () -> host.trace().isSpoiled() || host.trace().isRecovered());
        } while (host.trace().isSpoiled());
    }
}
