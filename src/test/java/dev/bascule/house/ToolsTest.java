package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ToolsTest {
    @Test
    void testsRunOnJava25() {
        assertThat(Runtime.version().feature()).isEqualTo(25);
    }
}
