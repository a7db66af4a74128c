package dev.bascule.nic.dpdk;

import static dev.bascule.ffi.DpdkLibrary.word;

import dev.bascule.ffi.DpdkLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SortedMap;

/** A port's own counters: the basic ones, and its driver's under their names. */
final class DpdkStatistics {
    private static final String[] BASIC = { "rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_missed",
            "rx_errors", "tx_errors", "rx_no_buffer" };

    private DpdkStatistics() {}

    static void addTo(SortedMap<String, Long> all, DpdkLibrary library, int port) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stats = arena.allocate(DpdkLayout.STATS_BYTES, 8);
            if ((int) library.call("rte_eth_stats_get", word(port), stats) == 0) {
                for (int i = 0; i < BASIC.length; i++) {
                    all.put("device_" + BASIC[i], stats.getAtIndex(ValueLayout.JAVA_LONG, i));
                }
            }
            int count = (int) library.call("rte_eth_xstats_get", word(port), MemorySegment.NULL, word(0));
            if (count <= 0) {
                return;
            }
            MemorySegment names = arena.allocate((long) count * DpdkLayout.XSTAT_NAME_BYTES, 8);
            MemorySegment values = arena.allocate((long) count * DpdkLayout.XSTAT_BYTES, 8);
            int named = (int) library.call("rte_eth_xstats_get_names", word(port), names, word(count));
            int valued = (int) library.call("rte_eth_xstats_get", word(port), values, word(count));
            for (int i = 0; i < Math.min(count, Math.min(named, valued)); i++) {
                long id = values.get(ValueLayout.JAVA_LONG, (long) i * DpdkLayout.XSTAT_BYTES);
                if (id >= 0 && id < named) {
                    all.put("device_x_" + names.getString(id * DpdkLayout.XSTAT_NAME_BYTES),
                            values.get(ValueLayout.JAVA_LONG,
                                    (long) i * DpdkLayout.XSTAT_BYTES + DpdkLayout.XSTAT_VALUE));
                }
            }
        }
    }
}
