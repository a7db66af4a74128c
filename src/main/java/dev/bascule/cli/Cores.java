package dev.bascule.cli;

import dev.bascule.ffi.Affinity;
import java.util.BitSet;

/** Which cores the parts of the main job use, of those this process had when it started. */
final class Cores {
    private static final BitSet ALL = Affinity.current();

    private Cores() {}

    static int count() {
        return ALL.cardinality();
    }

    /** The last core this process may use: the agent's. */
    static int forAgent() {
        return ALL.length() - 1;
    }

    /** Every core but the agent's. */
    static BitSet forHost() {
        BitSet cores = (BitSet) ALL.clone();
        cores.clear(forAgent());
        return cores;
    }
}
