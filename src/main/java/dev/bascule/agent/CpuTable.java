package dev.bascule.agent;

import java.util.Arrays;

/** Table of an enclave's CPUs, as the host knows them. */
final class CpuTable {
    /** Neither taken nor offline. */
    final boolean[] available;
    final boolean[] taken;
    final boolean[] offline;
    final int[] current;
    /** Tasks started on each, by its own thread. */
    final long[] starts;
    /** Messages posted per agent, the counterpart of the agent barrier. */
    final int[] posted;

    CpuTable(EnclaveShape shape) {
        int cpus = shape.cpus();
        available = new boolean[cpus];
        taken = new boolean[cpus];
        offline = new boolean[cpus];
        current = new int[cpus];
        starts = new long[cpus];
        posted = new int[shape.agents()];
        Arrays.fill(available, true);
        Arrays.fill(current, TaskQueue.NONE);
    }
}
