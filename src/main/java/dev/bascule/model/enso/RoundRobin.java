package dev.bascule.model.enso;

/** The round-robin counter over fallback pipes: it advances every cycle, whether packets come or not. */
final class RoundRobin {
    private boolean enabled;
    private int mask;
    private int base;
    private long baseCycle;

    void configure(boolean enable, int newMask, long cycle) {
        base = at(cycle);
        baseCycle = cycle;
        enabled = enable;
        mask = newMask;
    }

    void reset() {
        enabled = false;
        base = 0;
        mask = 0;
    }

    boolean enabled() {
        return enabled;
    }

    /** The counter in {@code cycle}: from one cycle to the next, n becomes (n + 1) AND mask. */
    int at(long cycle) {
        long steps = cycle - baseCycle;
        if (!enabled || steps <= 0) {
            return base;
        }
        int afterOne = base + 1 & mask;
        int counting = (mask & mask + 1) == 0 ? mask : Integer.lowestOneBit(~mask) - 1;
        return afterOne & ~counting | afterOne + (int) (steps - 1) & counting;
    }
}
