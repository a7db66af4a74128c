package dev.bascule.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class DeviceValuesTest {
    @Test
    void iovaIsUnsignedAndStaysInItsSpace() {
        assertThat(new Iova(-1)).isGreaterThan(new Iova(Long.MAX_VALUE)).hasToString("iova 0xffffffffffffffff");
        assertThat(new Iova(0x1000).plus(16)).isEqualTo(new Iova(0x1010));
        assertThatThrownBy(() -> new Iova(-1).plus(1)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> new Iova(5).plus(-1)).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void barKnowsWhatCanBeMapped() {
        Bar sparse = new Bar(0, 65536, true, false, List.of(new Bar.Area(0, 4096), new Bar.Area(8192, 4096)));
        assertThat(sparse.isMappable(0, 4096)).isTrue();
        assertThat(sparse.isMappable(4096, 1)).isFalse();
        assertThat(sparse.isMappable(8192, 4097)).isFalse();
        assertThat(sparse.isMappable(8192, Long.MAX_VALUE)).isFalse();
        assertThat(Bar.registers(0, 4096).isMappable(0, 1)).isFalse();
        assertThat(Bar.memory(2, 4096).isMappable(0, 4096)).isTrue();
    }

    @Test
    void impossibleBarsAreRefused() {
        assertThatThrownBy(() -> Bar.registers(6, 4096)).hasMessageContaining("BAR 6");
        assertThatThrownBy(() -> Bar.memory(5, 4096)).hasMessageContaining("64 bit");
        assertThatThrownBy(() -> Bar.registers(0, 4095)).hasMessageContaining("4095");
        assertThatThrownBy(() -> new Bar(0, 4096, false, false, List.of(new Bar.Area(4096, 1))))
                .hasMessageContaining("lies outside");
    }

    @Test
    void directionsAllowWhatTheySay() {
        assertThat(DmaDirection.BOTH.allows(true) && DmaDirection.BOTH.allows(false)).isTrue();
        assertThat(DmaDirection.DEVICE_READS.allows(false)).isTrue();
        assertThat(DmaDirection.DEVICE_READS.allows(true)).isFalse();
        assertThat(DmaDirection.DEVICE_WRITES.allows(true)).isTrue();
        assertThat(DmaDirection.DEVICE_WRITES.allows(false)).isFalse();
    }

    @Test
    void errorsSayStepObjectProblemAndRemedy() {
        assertThat(new DeviceException("map BAR 2", "echo", "no memory (ENOMEM)", "free some"))
                .hasMessage("map BAR 2: echo: no memory (ENOMEM); free some");
        assertThat(new DeviceRemovedException("reset", "echo")).isInstanceOf(DeviceException.class)
                .hasMessageStartingWith("reset: echo: the device is gone");
    }
}
