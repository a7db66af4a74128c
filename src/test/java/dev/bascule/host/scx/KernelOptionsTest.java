package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Limits of a ruled machine: ours end before the kernel's. */
class KernelOptionsTest {
    private static final long SECOND = 1_000_000_000;

    private static KernelOptions withStarvation(long nanos) {
        return new KernelOptions(List.of(0), 16, SECOND, SECOND, nanos, false, false);
    }

    @Test
    void aStarvingThreadIsHelpedInHalfTheTimeAfterWhichTheKernelThrowsTheSchedulerOut() {
        assertThat(withStarvation(15 * SECOND).starvationNanos()).isEqualTo(Layout.TIMEOUT_MILLIS * 1_000_000 / 2);
        assertThatThrownBy(() -> withStarvation(15 * SECOND + 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("starvation limit 15000000001 ns").hasMessageContaining("15 s");
    }

    @Test
    void limitsThatLeaveNoTimeAreRefused() {
        assertThatThrownBy(() -> withStarvation(1)).hasMessageContaining("2 ms");
        assertThatThrownBy(() -> new KernelOptions(List.of(0), 16, 2 * SECOND, SECOND, SECOND, false, false))
                .hasMessageContaining("not above the hard limit");
    }
}
