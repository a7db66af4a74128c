package dev.bascule.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LruTiersTest {
    @ParameterizedTest
    @ValueSource(doubles = { 0, 0.1, 0.5, 1 })
    void keepsThoseThatWereUsedLastAndNoMoreThanTheShare(double share) {
        int batches = 200;
        LruTiers tiers = new LruTiers(batches, share);
        SplittableRandom random = new SplittableRandom(5);
        int[] last = new int[batches]; // period of the last touch
        for (int period = 1; period <= 50; period++) {
            for (int batch = 0; batch < batches; batch++) {
                boolean touched = random.nextInt(batches) > batch * 3;
                assertThat(tiers.scanned(batch, touched ? 1 : 0)).isOne();
                last[batch] = touched || period == 1 ? period : last[batch];
            }
            tiers.observe(0);
            int kept = 0;
            int oldestKept = period;
            int youngestCold = 0;
            for (int batch = 0; batch < batches; batch++) {
                kept += tiers.isCold(batch) ? 0 : 1;
                oldestKept = tiers.isCold(batch) ? oldestKept : Math.min(oldestKept, last[batch]);
                youngestCold = tiers.isCold(batch) ? Math.max(youngestCold, last[batch]) : youngestCold;
                assertThat(last[batch] == period && tiers.isCold(batch)).as("touched and cold").isFalse();
            }
            assertThat(oldestKept).as("period " + period).isGreaterThan(youngestCold);
            int now = period;
            long touchedNow = java.util.Arrays.stream(last).filter(when -> when == now).count();
            assertThat(kept).isLessThanOrEqualTo((int) Math.max(touchedNow, share * batches));
        }
    }

    @Test
    void whatWasNeverScannedIsNotCold() {
        LruTiers tiers = new LruTiers(2, 0);
        tiers.scanned(0, 0);
        tiers.observe(0);
        assertThat(tiers.isCold(0)).as("one period's grace").isFalse();
        tiers.scanned(0, 0);
        tiers.observe(0);
        assertThat(tiers.isCold(0)).isTrue();
        assertThat(tiers.isCold(1)).isFalse();
    }

    @Test
    void aShareOutOfRangeIsRefused() {
        assertThatThrownBy(() -> new LruTiers(2, 1.5)).hasMessageContaining("the share 0 to 1");
        assertThatThrownBy(() -> new LruTiers(0, 0.5)).isInstanceOf(IllegalArgumentException.class);
    }
}
