package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.TimeHistogram;
import org.junit.jupiter.api.Test;

class EnsoPktgenTest {
    @Test
    void theFileHasALineForEachRoundTripInNanoseconds() {
        TimeHistogram cycles = new TimeHistogram(16, 0xFFFF_FFFFL);
        assertThat(EnsoPktgen.csv(cycles)).isEqualTo("rtt_ns,packets\n");
        cycles.record(10);
        cycles.record(100_001);
        cycles.record(10);
        assertThat(EnsoPktgen.csv(cycles)).isEqualTo("rtt_ns,packets\n50,2\n500005,1\n");
    }
}
