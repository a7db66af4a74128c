package dev.bascule.study.enso;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CacheMissesTest {
    @Test
    void countsBecomeSharesAndMissesPerPacket() {
        CacheMisses misses = CacheMisses.of(new long[] { 21_339, 1_357, 1_357, 747 }, 100);
        assertThat(misses.known()).isTrue();
        assertThat(misses.l1PerPacket()).isEqualTo(13.57);
        assertThat(misses.l1Share()).isBetween(0.063, 0.064);
        assertThat(misses.cachePerPacket()).isEqualTo(7.47);
        assertThat(misses.cacheShare()).isBetween(0.55, 0.551);
    }

    @Test
    void nothingCountedIsNothingKnown() {
        assertThat(CacheMisses.of(new long[] { 0, 0, 0, 0 }, 100).known()).isFalse();
        assertThat(CacheMisses.of(new long[] { 1, 1, 1, 1 }, 0).known()).isFalse();
        assertThat(CacheMisses.UNKNOWN.known()).isFalse();
    }

    @Test
    void aMachineWithoutCountersSaysWhy() {
        CacheMisses.missing().ifPresentOrElse(why -> {
            assertThat(why).contains("perf_event_open");
            assertThat(CacheMisses.of(events -> 1)).isEqualTo(CacheMisses.UNKNOWN);
        }, () -> assertThat(CacheMisses.of(events -> {
            events.start();
            events.stop();
            return 1;
        })).isNotNull());
    }
}
