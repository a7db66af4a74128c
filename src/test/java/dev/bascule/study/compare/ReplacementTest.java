package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.host.AgentSupervisor;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ReplacementTest {
    /** A run directory that Ctrl-C has removed, a limit of processes: nobody waits for an agent that does not come. */
    @Test
    @Timeout(60)
    void anAgentThatCannotBeStartedIsTheHostsFailure() {
        try (Replacement replacement = new Replacement()) {
            replacement.begin(new AgentSupervisor() {
                @Override
                public void start() {
                    throw new UncheckedIOException("start agent process", new NoSuchFileException("agent.log"));
                }

                @Override
                public void kill() {}

                @Override
                public boolean hasExited() {
                    return true;
                }

                @Override
                public String exitReport() {
                    return "";
                }

                @Override
                public void close() {}
            });
            assertThatThrownBy(() -> {
                while (replacement.isUnderWay()) {
                    Thread.sleep(1); // until it fails, or JUnit interrupts
                }
            }).isInstanceOf(UncheckedIOException.class).hasMessageContaining("start agent process");
        }
    }
}
