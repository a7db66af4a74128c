package dev.bascule.agent;

/**
 * CPUs that something has to be done for, each at most once, so that a round costs what there is to do and not what the
 * enclave's size is. One thread. Allocation-free.
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

    /** Puts the CPU in, if it is not. */
    public void add(int cpu) {
        if (!isIn[cpu]) {
            isIn[cpu] = true;
            cpus[count++] = cpu;
        }
    }

    /** Whether no CPU is in. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Takes one out; the list is not empty. */
    public int take() {
        int cpu = cpus[--count];
        isIn[cpu] = false;
        return cpu;
    }
}
