package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DistributionTest {
    @Test
    void boundsRiseFromAHundredNanosecondsToTenSecondsTenADecade() {
        assertThat(Distribution.bound(0)).isEqualTo(100);
        assertThat(Distribution.bound(13)).isEqualTo(2_000);
        assertThat(Distribution.bound(Distribution.BOUNDS - 1)).isEqualTo(10_000_000_000L);
        assertThat(Distribution.bound(Distribution.BOUNDS)).as("of what is longer").isEqualTo(Long.MAX_VALUE);
        for (int i = 1; i <= Distribution.BOUNDS; i++) {
            assertThat(Distribution.bound(i)).isGreaterThan(Distribution.bound(i - 1));
        }
    }
}
