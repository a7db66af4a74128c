package dev.bascule.nic.corundum;

import dev.bascule.device.Registers;
import java.util.Map;

/** Counters of the card's statistics block: those of its PCIe link and of its DMA engine have names. */
final class CardCounters {
    /** Those of the PCIe and DMA blocks, and the first of what designs add after them. */
    private static final int MOST = 72;
    /** Shown also when they are zero. */
    private static final Map<Integer, String> ALWAYS = Map.of(32, "dma_reads", 33, "dma_read_bytes", 48, "dma_writes",
            49, "dma_write_bytes");
    private static final Map<Integer, String> NAMES = Map.ofEntries(Map.entry(0, "pcie_rx_memory_reads"),
            Map.entry(1, "pcie_rx_memory_writes"), Map.entry(5, "pcie_rx_completions"),
            Map.entry(6, "pcie_rx_completions_unsupported"), Map.entry(7, "pcie_rx_completions_aborted"),
            Map.entry(9, "pcie_rx_poisoned"), Map.entry(10, "pcie_rx_header_words"),
            Map.entry(11, "pcie_rx_requested_words"), Map.entry(12, "pcie_rx_payload_words"),
            Map.entry(13, "pcie_rx_completed_words"), Map.entry(16, "pcie_tx_memory_reads"),
            Map.entry(17, "pcie_tx_memory_writes"), Map.entry(21, "pcie_tx_completions"),
            Map.entry(26, "pcie_tx_header_words"), Map.entry(27, "pcie_tx_requested_words"),
            Map.entry(28, "pcie_tx_payload_words"), Map.entry(29, "pcie_tx_completed_words"),
            Map.entry(34, "dma_read_latency_clocks"), Map.entry(35, "dma_read_errors"),
            Map.entry(36, "dma_read_requests"), Map.entry(37, "dma_read_request_latency_clocks"),
            Map.entry(38, "dma_read_timeouts"), Map.entry(39, "dma_read_table_stall_clocks"),
            Map.entry(40, "dma_read_tag_stall_clocks"), Map.entry(41, "dma_read_credit_stall_clocks"),
            Map.entry(42, "dma_read_limit_stall_clocks"), Map.entry(43, "dma_read_link_stall_clocks"),
            Map.entry(50, "dma_write_latency_clocks"), Map.entry(51, "dma_write_errors"),
            Map.entry(52, "dma_write_requests"), Map.entry(53, "dma_write_request_latency_clocks"),
            Map.entry(55, "dma_write_table_stall_clocks"), Map.entry(57, "dma_write_credit_stall_clocks"),
            Map.entry(58, "dma_write_limit_stall_clocks"), Map.entry(59, "dma_write_link_stall_clocks"));

    private CardCounters() {}

    static void read(Registers bar, QueueRange counters, Map<String, Long> into) {
        for (int i = 0; i < Math.min(MOST, counters.count()); i++) {
            long at = counters.at(i);
            long value = bar.read32(at) & 0xFFFFFFFFL | (bar.read32(at + 4) & 0xFFFFFFFFL) << 32;
            String name = ALWAYS.getOrDefault(i, NAMES.getOrDefault(i, "counter_" + i));
            if (value != 0 || ALWAYS.containsKey(i)) {
                into.put("device_" + name, value);
            }
        }
    }
}
