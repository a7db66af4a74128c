package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceWindowTest {
    @ParameterizedTest
    @CsvSource({ "UC, amd64, false", "WC, amd64, true", "UC, aarch64, true", "WC, aarch64, true" })
    void uncachedAccessesKeepTheirOrderOnX86Only(MemoryType type, String cpu, boolean weak) {
        assertThat(DeviceWindow.isWeak(type, cpu)).isEqualTo(weak);
    }

    @Test
    void deviceMemoryIsMappedInTwoWaysOnly() {
        try (Arena arena = Arena.ofConfined()) {
            var memory = arena.allocate(64, 64);
            for (MemoryType type : new MemoryType[] { MemoryType.WT, MemoryType.WB }) {
                assertThatThrownBy(() -> new DeviceWindow(memory, type)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("device memory is mapped UC or WC, not " + type);
            }
        }
    }
}
