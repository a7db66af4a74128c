package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoRegisters;

/**
 * Chooses the pipe: the flow's, else a fallback pipe by hash and mask or round robin, else none. Whatever comes out is
 * cut to the 13 bits of a pipe.
 */
final class FlowDirector {
    /** The packet is dropped. */
    static final int DROP = -1;

    private static final int PIPE_MASK = EnsoRegisters.PIPES - 1;

    private final RoundRobin roundRobin = new RoundRobin();
    private int fallbackPipes;
    private int mask;

    void configure(int newFallbackPipes, int newMask, boolean useRoundRobin, long cycle) {
        fallbackPipes = newFallbackPipes;
        mask = newMask;
        roundRobin.configure(useRoundRobin, newMask, cycle);
    }

    void reset() {
        fallbackPipes = 0;
        mask = 0;
        roundRobin.reset();
    }

    boolean hasFallback() {
        return fallbackPipes != 0;
    }

    int pipe(int found, int hash, long cycle) {
        if (found != FlowTable.MISS) {
            return found & PIPE_MASK;
        }
        if (fallbackPipes == 0) {
            return DROP;
        }
        return (roundRobin.enabled() ? roundRobin.at(cycle) : hash & mask) & PIPE_MASK;
    }
}
