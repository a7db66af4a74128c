package dev.bascule.agent.memory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.study.experiment.FixedTiers;
import org.junit.jupiter.api.Test;

class MemoryOptionsTest {
    @Test
    void impossibleOptionsAreRefused() {
        assertThatThrownBy(() -> new MemoryOptions(0, 4, 16, 1, 0.1, 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 batches");
        assertThatThrownBy(() -> new MemoryOptions(10, 4, 3, 1, 0.1, 1)).hasMessageContaining("silent after 3");
        assertThatThrownBy(() -> new FixedTiers(10, 0, 1)).hasMessageContaining("must be above 0");
    }
}
