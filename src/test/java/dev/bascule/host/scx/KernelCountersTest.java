package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Outcome;
import org.junit.jupiter.api.Test;

class KernelCountersTest {
    private static KernelCounters with(long[] outcomes, long[] window) {
        return new KernelCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, outcomes, window);
    }

    @Test
    void decisionsAreCountedByWhatBecameOfThem() {
        long[] outcomes = new long[Outcome.values().length];
        outcomes[Outcome.COMPLETE.ordinal()] = 7;
        outcomes[Outcome.TARGET_STALE.ordinal()] = 2;
        outcomes[Outcome.TARGET_ONCPU.ordinal()] = 1;
        outcomes[Outcome.NOT_PERMITTED.ordinal()] = 4;
        KernelCounters counters = with(outcomes, new long[64]);
        assertThat(counters.decisions()).isEqualTo(14);
        assertThat(counters.count(Outcome.COMPLETE)).isEqualTo(7);
        assertThat(counters.stale()).isEqualTo(3);
    }

    @Test
    void aQuantileOfTheWindowIsTheUpperEndOfItsPowerOfTwo() {
        long[] window = new long[64];
        window[10] = 50; // 1,024 to 2,047 ns
        window[13] = 49;
        window[20] = 1;
        KernelCounters counters = with(new long[16], window);
        assertThat(counters.windowNanos(0.5)).isEqualTo(2048);
        assertThat(counters.windowNanos(0.51)).isEqualTo(1 << 14);
        assertThat(counters.windowNanos(1)).isEqualTo(1 << 21);
        assertThat(with(new long[16], new long[64]).windowNanos(0.5)).isZero();
        window[10] = 0; // as between two looks
        assertThat(KernelCounters.windowNanos(window, 0.5)).isEqualTo(1 << 14);
    }
}
