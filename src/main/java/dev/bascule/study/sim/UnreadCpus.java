package dev.bascule.study.sim;

import java.util.Arrays;

/**
 * CPUs for which the host has written something that the agent may not have seen. Only saves the simulation from
 * reading words that cannot have changed: what was written counts as new until it has been looked for after it must
 * have arrived.
 */
final class UnreadCpus {
    private final int[] cpus;
    private final boolean[] dirty;
    private final long[] writtenNanos;
    private final long[] arrivedNanos;
    private final CpuSet fresh;
    private final long flightNanos;
    private int count;

    /** @param flightNanos from leaving the host to arriving */
    UnreadCpus(int cpus, long flightNanos) {
        this.flightNanos = flightNanos;
        this.cpus = new int[cpus];
        dirty = new boolean[cpus];
        writtenNanos = new long[cpus];
        arrivedNanos = new long[cpus];
        fresh = new CpuSet(cpus);
        Arrays.fill(arrivedNanos, EventTree.NEVER);
        for (int cpu = 0; cpu < cpus; cpu++) {
            look(cpu);
        }
    }

    /** The host wrote something, or may have; it has not left yet. */
    void written(int cpu, long nowNanos) {
        writtenNanos[cpu] = Math.max(writtenNanos[cpu], nowNanos);
        if (!dirty[cpu]) {
            dirty[cpu] = true;
            cpus[count++] = cpu;
            fresh.add(cpu);
        }
    }

    /** Something may be seen from now on that the host did not write. */
    void look(int cpu) {
        if (arrivedNanos[cpu] == EventTree.NEVER) {
            arrivedNanos[cpu] = 0;
            fresh.add(cpu);
        }
    }

    /** Everything written has left; what a core wrote whose steps were simulated further ahead, then only. */
    void left(long nowNanos) {
        for (int i = 0; i < count; i++) {
            int cpu = cpus[i];
            dirty[cpu] = false;
            long arrives = Math.max(nowNanos, writtenNanos[cpu]) + flightNanos;
            arrivedNanos[cpu] = arrivedNanos[cpu] == EventTree.NEVER ? arrives : Math.max(arrivedNanos[cpu], arrives);
        }
        count = 0;
    }

    /** The host may have written any. */
    void all(long nowNanos) {
        for (int cpu = 0; cpu < cpus.length; cpu++) {
            written(cpu, nowNanos);
        }
    }

    /** The first CPU from {@code from} on where a look may find something; {@link CpuSet#NONE} if none. */
    int next(int from) {
        return fresh.next(from);
    }

    /** The CPU's agent looks. After a look that must have found it, not again before something else is written. */
    void looks(int cpu, long nowNanos) {
        if (!dirty[cpu] && arrivedNanos[cpu] <= nowNanos) {
            arrivedNanos[cpu] = EventTree.NEVER;
            fresh.remove(cpu);
        }
    }
}
