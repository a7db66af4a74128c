package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class QueueCountersTest {
    @Test
    void namesStayAndSumsAddUp() {
        QueueCounters one = new QueueCounters();
        QueueCounters other = new QueueCounters();
        one.add(QueueCounters.PACKETS, 3);
        one.addBurst(4, 0);
        one.add(QueueCounters.DOORBELLS, 1);
        other.addBurst(2, 1L << 39);
        other.addBurst(3, 1L << 39);
        Map<String, Long> all = new TreeMap<>();
        one.addTo(all, "rx");
        other.addTo(all, "rx");
        assertThat(all).containsExactly(Map.entry("rx_bytes", 1L << 40), Map.entry("rx_doorbells", 1L),
                Map.entry("rx_errors", 0L), Map.entry("rx_no_room", 0L), Map.entry("rx_packets", 12L));
    }
}
