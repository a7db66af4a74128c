package dev.bascule.nic.corundum;

import dev.bascule.device.Registers;
import java.util.Map;

/** Counters of the card's statistics block; those of its DMA engine have names. */
final class CardCounters {
    /** Those of the PCIe and DMA blocks; what designs add comes after. */
    private static final int MOST = 64;
    private static final Map<Integer, String> NAMES = Map.of(32, "dma_reads", 33, "dma_read_bytes", 48, "dma_writes",
            49, "dma_write_bytes");

    private CardCounters() {}

    static void read(Registers bar, QueueRange counters, Map<String, Long> into) {
        for (int i = 0; i < Math.min(MOST, counters.count()); i++) {
            long at = counters.at(i);
            long value = bar.read32(at) & 0xFFFFFFFFL | (bar.read32(at + 4) & 0xFFFFFFFFL) << 32;
            String name = NAMES.get(i);
            if (name != null || value != 0) {
                into.put("device_" + (name == null ? "counter_" + i : name), value);
            }
        }
    }
}
