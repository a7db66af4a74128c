package dev.bascule.swap;

/**
 * CPUs that something has to be done for, each at most once, so that a round costs what there is to do and not what the
 * enclave's size is. One thread. Allocation-free.
 */
final class CpuList {
    private final int[] cpus;
    private final boolean[] isIn;
    private int count;

    CpuList(int cpus) {
        this.cpus = new int[cpus];
        isIn = new boolean[cpus];
    }

    void add(int cpu) {
        if (!isIn[cpu]) {
            isIn[cpu] = true;
            cpus[count++] = cpu;
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Takes one out; the list is not empty. */
    int take() {
        int cpu = cpus[--count];
        isIn[cpu] = false;
        return cpu;
    }
}
