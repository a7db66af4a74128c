package dev.bascule.nic.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Without DPDK: a clear message, and nothing else breaks. */
class DpdkAbsentTest {
    private static final String PROPERTY = "bascule.dpdk.libraries";

    @BeforeEach
    void hide() {
        System.setProperty(PROPERTY, "/nonexistent");
    }

    @AfterEach
    void show() {
        System.clearProperty(PROPERTY);
    }

    @Test
    void theMessageSaysWhatIsMissingAndHowToGetIt() {
        assertThat(DpdkEal.missing()).hasValueSatisfying(
                text -> assertThat(text).contains("not found", "apt-get install libdpdk-dev", PROPERTY));
        assertThatThrownBy(() -> DpdkEal.start(List.of("--no-huge"))).isInstanceOf(DeviceException.class)
                .hasMessageContaining("not found").hasMessageContaining("libdpdk-dev");
    }

    @Test
    void optionsAreCheckedByName() {
        assertThatThrownBy(() -> new DpdkOptions(0, 512, 1000, 2048, false)).hasMessageContaining("queues is 0");
        assertThatThrownBy(() -> new DpdkOptions(1, 8, 1000, 2048, false)).hasMessageContaining("descriptors");
        assertThatThrownBy(() -> new DpdkOptions(1, 512, 1, 2048, false)).hasMessageContaining("buffers is 1");
        assertThatThrownBy(() -> new DpdkOptions(1, 512, 1000, 1 << 20, false)).hasMessageContaining("buffer bytes");
        assertThat(DpdkOptions.DEFAULT.withQueues(4).receiveSideScaling()).isTrue();
    }
}
