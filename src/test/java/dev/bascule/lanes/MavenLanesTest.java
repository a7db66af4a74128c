package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MavenLanesTest {
    @Test
    void progressIsTheLastPluginOrTestClass() {
        String log = """
                [INFO] Scanning for projects...
                [INFO] --- maven-enforcer-plugin:3.6.2:enforce (enforce) @ bascule ---
                [INFO] --- compiler:3.14.1:compile (default-compile) @ bascule ---
                """;
        assertThat(MavenLanes.atWork("")).startsWith("starting Maven");
        assertThat(MavenLanes.atWork(log)).isEqualTo("compiler:compile");
        assertThat(MavenLanes.atWork(log + "[INFO] Running dev.bascule.ring.RingTest\n"))
                .isEqualTo("dev.bascule.ring.RingTest");
    }

    @Test
    void whatRunsBesideTheTestsWaitsForTheFirstOfThem() {
        assertThat(MavenLanes.areTestsRunning("[INFO] --- surefire:3.5.4:test (default-test) @ bascule ---\n"))
                .isFalse();
        assertThat(MavenLanes.areTestsRunning("...\n[INFO] Running dev.bascule.ring.RingTest\n")).isTrue();
    }
}
