package dev.bascule.cli;

import java.util.List;
import java.util.Map;

/** Register writes of the data path, from the statistics of ports. */
final class RegisterWrites {
    private RegisterWrites() {}

    /**
     * Says how many there were a packet.
     *
     * @param statistics of each port that took part
     */
    static void describe(Summary summary, long packets, List<? extends Map<String, Long>> statistics) {
        long writes = statistics.stream()
                .mapToLong(port -> port.getOrDefault("rx_doorbells", 0L) + port.getOrDefault("tx_doorbells", 0L)).sum();
        summary.put("MMIO writes per packet", writes / (double) Math.max(1, packets));
    }
}
