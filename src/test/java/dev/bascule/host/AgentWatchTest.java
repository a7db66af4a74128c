package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentWatchTest {
    private static final LiveOptions OPTIONS = LiveOptions.of(1);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void oneOfSeveralAgentsThatHangsIsFound() {
        try (TransportSession session = new LocalSession(directory, false);
                MechanismEnd end = session.openHost(new EnclaveShape(2, 8, 2, 32, 1));
                AgentEnd first = session.attach(0);
                AgentEnd second = session.attach(1);
                AgentWatch watch = new AgentWatch(end, OPTIONS, new ExternalAgent())) {
            watch.begin(0);
            first.ready();
            assertThat(watch.trouble(1)).isNull();
            assertThat(watch.isReady()).as("one is missing").isFalse();
            second.ready();
            for (int i = 0; i < Watchdog.WARM_DECISIONS; i++) {
                watch.decided();
            }
            assertThat(watch.trouble(2)).isNull();
            assertThat(watch.isReady()).isTrue();
            first.heartbeat();
            assertThat(watch.trouble(OPTIONS.hardNanos() + 3)).contains("agent 1 silent");
        }
    }
}
