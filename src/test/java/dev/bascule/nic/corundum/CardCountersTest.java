package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.corundum.CorundumConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The card's own counters by name. */
class CardCountersTest {
    private static final long STATISTICS = 0x20000;

    /** Of the DMA engine's two groups of sixteen, those that the RTL fills. */
    private static final Map<Integer, String> STALLS = Map.ofEntries(Map.entry(39, "dma_read_table_stall_clocks"),
            Map.entry(40, "dma_read_tag_stall_clocks"), Map.entry(41, "dma_read_credit_stall_clocks"),
            Map.entry(42, "dma_read_limit_stall_clocks"), Map.entry(43, "dma_read_link_stall_clocks"),
            Map.entry(53, "dma_write_request_latency_clocks"), Map.entry(55, "dma_write_table_stall_clocks"),
            Map.entry(57, "dma_write_credit_stall_clocks"), Map.entry(58, "dma_write_limit_stall_clocks"),
            Map.entry(59, "dma_write_link_stall_clocks"));

    @Test
    void stallsAndLatenciesOfTheDmaEngineHaveNames() {
        ScriptedCard card = new ScriptedCard(CorundumConfig.builder().build());
        STALLS.keySet().forEach(counter -> card.override(STATISTICS + 8L * counter, 1000 + counter));
        try (LoopbackDevice device = LoopbackDevice.open(card);
                CorundumAdapter adapter = CorundumAdapter.open(device)) {
            STALLS.forEach((counter, name) -> assertThat(adapter.statistics()).containsEntry("device_" + name,
                    1000L + counter));
            assertThat(adapter.statistics()).allSatisfy((name, value) -> assertThat(name).doesNotContain("counter_"));
        }
    }
}
