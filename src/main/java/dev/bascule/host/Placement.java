package dev.bascule.host;

import dev.bascule.ffi.NearestWord;
import dev.bascule.memory.MemoryType;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Where the agent's decisions lie and how the host's CPU reaches the NIC's memory; the same choice for every transport. */
public enum Placement {
    /** In NIC memory, read by the host across the link, as in Wave. */
    PULL,
    /** In host memory, written by the NIC's DMA. */
    PUSH,
    /** In NIC memory that is coherent with the host's caches: CXL, or a process on the same machine. */
    COHERENT;

    private static final Placement[] VALUES = values();

    /** The name as users write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All names. */
    static List<String> texts() {
        return Stream.of(VALUES).map(Placement::text).toList();
    }

    /**
     * The placement of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Placement of(String text) {
        return Stream.of(VALUES).filter(placement -> placement.text().equals(text)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(NearestWord.none("placement", text, texts())));
    }

    /** How the host maps NIC memory for stores; {@code combining}: write-combining, else uncached, unless coherent. */
    MemoryType toNic(boolean combining) {
        return this == COHERENT ? MemoryType.WB : combining ? MemoryType.WC : MemoryType.UC;
    }

    /** How the host maps NIC memory for loads; {@code through}: write-through, else uncached, unless coherent. */
    MemoryType fromNic(boolean through) {
        return this == COHERENT ? MemoryType.WB : through ? MemoryType.WT : MemoryType.UC;
    }
}
