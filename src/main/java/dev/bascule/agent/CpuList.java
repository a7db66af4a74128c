package dev.bascule.agent;

/**
 * A work list of CPUs, each on it at most once, so that the cost of a round grows with the work and not with the
 * enclave. One thread. Allocates nothing.
 */
public final class CpuList {
    private final int[] cpus;
    private final boolean[] isIn;
    private int count;

    /** An empty list for CPUs 0 to {@code cpus - 1}. */
    public CpuList(int cpus) {
        this.cpus = new int[cpus];
        isIn = new boolean[cpus];
    }

    /** Adds the CPU unless it is on the list. */
    public void add(int cpu) {
        if (!isIn[cpu]) {
            isIn[cpu] = true;
            cpus[count++] = cpu;
        }
    }

    /** Whether the list is empty. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Removes and returns one CPU; the list must not be empty. */
    public int take() {
        int cpu = cpus[--count];
        isIn[cpu] = false;
        return cpu;
    }
}
