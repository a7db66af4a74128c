package dev.bascule.run;

import dev.bascule.ffi.Affinity;
import java.util.BitSet;

/** Cores that the parts of the main job use, of those this process had when it started. */
public final class Cores {
    private static final BitSet ALL = Affinity.current();

    private Cores() {}

    /** Number of cores that this process may use. */
    public static int count() {
        return ALL.cardinality();
    }

    /**
     * The core of an agent: from the last one down, as many as there are agents and the host's threads leave, at least one;
     * more agents than that take turns.
     *
     * @param number of the agent
     * @param agents how many there are
     * @param carriers threads of the host
     */
    public static int forAgent(int number, int agents, int carriers) {
        return forAgent(ALL, number, agents, carriers);
    }

    static int forAgent(BitSet all, int number, int agents, int carriers) {
        int core = all.length() - 1;
        for (int i = number % ofAgents(all, agents, carriers); i > 0; i--) {
            core = all.previousSetBit(core - 1);
        }
        return core;
    }

    /** Every core but those of the agents. */
    public static BitSet forHost(int agents, int carriers) {
        return forHost(ALL, agents, carriers);
    }

    static BitSet forHost(BitSet all, int agents, int carriers) {
        BitSet cores = (BitSet) all.clone();
        for (int number = 0; number < ofAgents(all, agents, carriers); number++) {
            cores.clear(forAgent(all, number, agents, carriers));
        }
        return cores;
    }

    private static int ofAgents(BitSet all, int agents, int carriers) {
        return Math.max(1, Math.min(agents, all.cardinality() - carriers));
    }
}
