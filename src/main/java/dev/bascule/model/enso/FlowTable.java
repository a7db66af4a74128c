package dev.bascule.model.enso;

import java.util.Arrays;

/**
 * The flow table: four sub-tables of 2048 entries, each indexed by the low 11 bits of the hash with its own number as
 * seed. A lookup takes the first hit in order; an insert updates the hit, else takes the first empty place, else is
 * lost. Nothing is ever removed.
 */
final class FlowTable {
    /** Result of a lookup without a hit; also what an entry with pipe 0xFFFFFFFF amounts to. */
    static final int MISS = -1;

    private static final int SUB_TABLES = 4;
    private static final int ENTRIES = 2048;

    private final boolean[] valid = new boolean[SUB_TABLES * ENTRIES];
    private final int[] sourceIps = new int[SUB_TABLES * ENTRIES];
    private final int[] destinationIps = new int[SUB_TABLES * ENTRIES];
    private final int[] ports = new int[SUB_TABLES * ENTRIES];
    private final int[] pipes = new int[SUB_TABLES * ENTRIES];
    private boolean bound;

    /** The pipe of a flow as stored (32 bits), or {@link #MISS}. */
    int lookup(int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int place = find(sourceIp, sourcePort, destinationIp, destinationPort);
        return place < 0 ? MISS : pipes[place];
    }

    /** Inserts or updates; false when the flow is lost. */
    boolean insert(int sourceIp, int sourcePort, int destinationIp, int destinationPort, int pipe) {
        int place = find(sourceIp, sourcePort, destinationIp, destinationPort);
        for (int i = 0; place < 0 && i < SUB_TABLES; i++) {
            int candidate = place(i, sourceIp, sourcePort, destinationIp, destinationPort);
            if (!valid[candidate]) {
                place = candidate;
            }
        }
        if (place < 0) {
            return false;
        }
        valid[place] = true;
        sourceIps[place] = sourceIp;
        destinationIps[place] = destinationIp;
        ports[place] = portPair(sourcePort, destinationPort);
        pipes[place] = pipe;
        bound |= pipe != MISS;
        return true;
    }

    /** Whether a flow has been given a pipe since the table was empty. */
    boolean hasBound() {
        return bound;
    }

    /** Flows that lead to {@code pipe} lead to none from now on; hardware cannot do that at once. */
    void release(int pipe) {
        for (int place = 0; place < pipes.length; place++) {
            if (valid[place] && pipes[place] == pipe) {
                pipes[place] = MISS;
            }
        }
    }

    void clear() {
        Arrays.fill(valid, false);
        bound = false;
    }

    private int find(int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        for (int i = 0; i < SUB_TABLES; i++) {
            int place = place(i, sourceIp, sourcePort, destinationIp, destinationPort);
            if (valid[place] && sourceIps[place] == sourceIp && destinationIps[place] == destinationIp
                    && ports[place] == portPair(sourcePort, destinationPort)) {
                return place;
            }
        }
        return -1;
    }

    private static int place(int subTable, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int hash = FlowHash.hash(sourceIp, sourcePort, destinationIp, destinationPort, subTable);
        return subTable * ENTRIES + (hash & ENTRIES - 1);
    }

    private static int portPair(int sourcePort, int destinationPort) {
        return sourcePort << 16 | destinationPort & 0xFFFF;
    }
}
