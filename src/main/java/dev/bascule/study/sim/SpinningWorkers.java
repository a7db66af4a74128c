package dev.bascule.study.sim;

import java.util.Arrays;

/**
 * Workers without a job that spin on the CPU on which they did their last one, until their agent takes them off: how an
 * application waits whose runnable tasks are told by shared memory, as ghOSt's PrioTable. One that gets a job meanwhile goes on
 * with it, and nobody needs to decide.
 */
final class SpinningWorkers {
    private static final int NONE = -1;

    private final long seesNanos;
    private final int[] cpuOf;
    private final int[] held;
    private final long[] jobNanos;
    private final int[] woken;
    private int wokenCount;

    /** For so many tasks; 0: workers block. A worker sees its job {@code seesNanos} after it has got it. */
    SpinningWorkers(int tasks, int cpus, long seesNanos) {
        this.seesNanos = seesNanos;
        cpuOf = new int[tasks];
        Arrays.fill(cpuOf, NONE);
        held = new int[tasks == 0 ? 0 : cpus];
        Arrays.fill(held, NONE);
        jobNanos = new long[held.length];
        woken = new int[held.length];
    }

    boolean isUsed() {
        return held.length > 0;
    }

    /** The worker has done its job and stays. */
    void stays(int task, int cpu) {
        held[cpu] = task;
        cpuOf[task] = cpu;
        jobNanos[cpu] = EventTree.NEVER;
    }

    /** The worker on the CPU, or a negative number. */
    int on(int cpu) {
        return held.length == 0 ? NONE : held[cpu];
    }

    /** Something else has come to the CPU: whoever spun there does so no longer. Returns whether there was one. */
    boolean leaves(int cpu) {
        int task = on(cpu);
        if (task == NONE) {
            return false;
        }
        held[cpu] = NONE;
        cpuOf[task] = NONE;
        return true;
    }

    /** The task starts somewhere: it spins nowhere. */
    void starts(int task) {
        if (held.length > 0 && cpuOf[task] != NONE) {
            leaves(cpuOf[task]);
        }
    }

    /** The task has a job from then on. */
    void hasJob(int task, long nanos) {
        if (held.length > 0 && cpuOf[task] != NONE) {
            jobNanos[cpuOf[task]] = nanos;
            woken[wokenCount++] = cpuOf[task];
        }
    }

    /** When the worker on the CPU sees the job that it got; {@link EventTree#NEVER} if it has none. */
    long resumeNanos(int cpu) {
        long job = on(cpu) == NONE ? EventTree.NEVER : jobNanos[cpu];
        return job == EventTree.NEVER ? job : job + seesNanos;
    }

    /** A CPU whose worker got a job since the last call, or a negative number. */
    int nextWoken() {
        return wokenCount == 0 ? NONE : woken[--wokenCount];
    }
}
