package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

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
}
