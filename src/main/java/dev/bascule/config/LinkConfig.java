package dev.bascule.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Latencies of the link between host and NIC, each with its source.
 *
 * @param mmioReadUc an 8-byte load through an uncached mapping, full round trip
 * @param mmioReadWc the same through a write-combining mapping
 * @param mmioReadWt filling one line through a write-through mapping; a hit costs nothing
 * @param mmioWrite time a CPU is held by one posted write: a store (UC, WT) or a buffer that leaves (WC)
 * @param postedWrite from a posted write leaving the host to its arrival in NIC memory
 * @param dmaRead the NIC reads host memory, full round trip, per line
 * @param dmaWrite from a posted write of the NIC to its arrival in host memory
 * @param msix from raising an interrupt to its delivery
 * @param coherentLine transfer of a line that the other side changed, on a coherent link
 */
public record LinkConfig(@Key Constant mmioReadUc, @Key Constant mmioReadWc, @Key Constant mmioReadWt,
        @Key Constant mmioWrite, @Key Constant postedWrite, @Key Constant dmaRead, @Key Constant dmaWrite,
        @Key Constant msix, @Key Constant coherentLine) {

    /** All constants by the name a file uses, in the documentation's order. */
    public Map<String, Constant> byName() {
        Constant[] values = { mmioReadUc, mmioReadWc, mmioReadWt, mmioWrite, postedWrite, dmaRead, dmaWrite, msix,
                coherentLine };
        List<String> names = Field.names(LinkConfig.class);
        Map<String, Constant> map = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            map.put(names.get(i), values[i]);
        }
        return map;
    }

    /** Whether nothing is injected at all. */
    public boolean isZero() {
        return byName().values().stream().allMatch(c -> c.nanos() == 0);
    }
}
