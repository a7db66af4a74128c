package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a driver's counters say of frames that were lost at its queues. */
class QueueLossesTest {
    private static final Map<String, Long> COUNTED = Map.of("rx_too_long", 5L, "rx_queue_3_too_long", 5L, "rx_ran_dry",
            2L, "rx_queue_11_ran_dry", 2L, "rx_queue_0_ran_dry", 0L, "rx_queue_0_packets", 7L);

    @Test
    void aCardThatTellsNothingShowsWhereItsRingsRanDry() {
        assertThat(QueueLosses.of("queue ", COUNTED, false).toString().split("; ")).containsExactlyInAnyOrder(
                "queue 3, too long: 5", "queue 11, ring ran dry (times): 2");
    }

    @Test
    void aModelInThisProcessCountsTheFramesThemselves() {
        assertThat(QueueLosses.of("port 1 queue ", COUNTED, true)).hasToString("port 1 queue 3, too long: 5");
    }

    @Test
    void nothingIsListedWhereNothingWasLost() {
        assertThat(QueueLosses.of("queue ", Map.of("rx_queue_0_too_long", 0L, "rx_queue_0_ran_dry", 0L), false)
                .isEmpty()).isTrue();
    }
}
