package dev.bascule.host.sim;

/**
 * Which CPUs' answers an agent has seen all of. Only saves the simulation from reading words that cannot have changed:
 * an answer that was written counts as new until it has been looked for after it must have arrived.
 */
final class Answers {
    private final int[] cpus;
    private final boolean[] dirty;
    private final long[] arrivedNanos;
    private int count;

    Answers(int cpus) {
        this.cpus = new int[cpus];
        dirty = new boolean[cpus];
        arrivedNanos = new long[cpus];
    }

    /** The host wrote an answer, or may have; it has not left yet. */
    void written(int cpu) {
        if (!dirty[cpu]) {
            dirty[cpu] = true;
            cpus[count++] = cpu;
        }
    }

    /** Everything written leaves, and has arrived by then. */
    void left(long nanos) {
        for (int i = 0; i < count; i++) {
            dirty[cpus[i]] = false;
            arrivedNanos[cpus[i]] = nanos;
        }
        count = 0;
    }

    /** The host may have written any. */
    void all() {
        for (int cpu = 0; cpu < cpus.length; cpu++) {
            written(cpu);
        }
    }

    /** Whether a look now may find something. After one that must have, not again before something else is written. */
    boolean mayBeNew(int cpu, long nowNanos) {
        if (dirty[cpu]) {
            return true;
        }
        boolean isNew = arrivedNanos[cpu] != EventTree.NEVER;
        if (isNew && arrivedNanos[cpu] <= nowNanos) {
            arrivedNanos[cpu] = EventTree.NEVER;
        }
        return isNew;
    }
}
