package dev.bascule.study.fabric;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Transfers over the fabric, counted by who asked whom for what. A transfer is one access, in however many messages. */
public final class Traffic {
    /** Kinds of transfers. */
    public enum Kind {
        /** A device writes: half a round trip. */
        DMA_WRITE("DMA WR", 1),
        /** A device reads: a round trip. */
        DMA_READ("DMA RD", 2),
        /** The CPU writes to a device: half a round trip. */
        MMIO_WRITE("MMIO WR", 1),
        /** The CPU reads from a device: a round trip. */
        MMIO_READ("MMIO RD", 2),
        /** A device writes a completion right behind its data, so nobody waits for it alone. */
        COMPLETION("completion", 0);

        private final String word;
        private final int halfRoundTrips;

        Kind(String word, int halfRoundTrips) {
            this.word = word;
            this.halfRoundTrips = halfRoundTrips;
        }

        /** As the proposal's tables print it. */
        public String word() {
            return word;
        }

        /** Half round trips that one costs whoever waits for it. */
        public int halfRoundTrips() {
            return halfRoundTrips;
        }
    }

    /**
     * Transfers of one kind between two ports.
     *
     * @param from who asked
     * @param to whom
     * @param kind for what
     * @param transfers how many
     * @param bytes of payload
     */
    public record Row(String from, String to, Kind kind, long transfers, long bytes) {}

    private record Key(String from, String to, Kind kind) {}

    private final Map<Key, long[]> counts = new LinkedHashMap<>();

    void count(String from, String to, Kind kind, long bytes) {
        long[] sums = counts.computeIfAbsent(new Key(from, to, kind), key -> new long[2]);
        sums[0]++;
        sums[1] += bytes;
    }

    /** Forgets all counts. */
    public void clear() {
        counts.clear();
    }

    /** Rows of what was counted, in the order in which each first happened. */
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        counts.forEach((key, sums) -> rows.add(new Row(key.from, key.to, key.kind, sums[0], sums[1])));
        return rows;
    }

    /** Transfers somebody waits for: all but completions. */
    public long transfers() {
        return rows().stream().filter(row -> row.kind != Kind.COMPLETION).mapToLong(Row::transfers).sum();
    }

    /** Half round trips of all transfers, each for itself. */
    public long halfRoundTrips() {
        return rows().stream().mapToLong(row -> row.transfers * row.kind.halfRoundTrips()).sum();
    }
}
