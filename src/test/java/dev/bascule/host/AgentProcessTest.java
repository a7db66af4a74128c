package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class AgentProcessTest {
    /** A cache made under -jar is refused, and the JDK's own with it, by a JVM that got native access by an option. */
    @Test
    void theAgentOfAJarIsStartedLikeItsHostSoThatTheStartUpCacheServesBoth() {
        assertThat(AgentProcess.program(null, "/opt/bascule.jar")).containsExactly("-jar", "/opt/bascule.jar");
    }

    @Test
    void theAgentOfFoldersOrModulesIsGivenTheSameOnes() {
        assertThat(AgentProcess.program(null, "classes:lib/a.jar")).isEqualTo(List.of(
                "--enable-native-access=ALL-UNNAMED", "-cp", "classes:lib/a.jar", "dev.bascule.cli.Main"));
        assertThat(AgentProcess.program("mods", "")).containsSubsequence("-p", "mods", "-m",
                "dev.bascule/dev.bascule.cli.Main");
    }

    @Test
    @Timeout(60)
    void whatACrashedAgentUsedIsNotForgotten(@TempDir Path folder) {
        AgentProcess agent = new AgentProcess(List.of("sh", "-c", "while :; do :; done"), folder.resolve("log"));
        agent.start();
        double before = 0;
        while (before == 0) {
            LockSupport.parkNanos(1_000_000);
            before = agent.cpuSeconds();
        }
        agent.crash();
        while (!agent.hasExited()) {
            LockSupport.parkNanos(1_000_000);
        }
        double dead = agent.cpuSeconds();
        assertThat(dead).isGreaterThanOrEqualTo(before);
        agent.kill();
        assertThat(agent.cpuSeconds()).as("counted once").isEqualTo(dead);
        agent.start();
        assertThat(agent.cpuSeconds()).isGreaterThanOrEqualTo(dead);
        agent.close();
    }
}
