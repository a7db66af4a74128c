package dev.bascule.agent;

/**
 * State of one task as the host publishes it: the source from which an agent rebuilds itself. A reusable view.
 * <p>
 * One 64-byte line whose first 32 bytes are ghOSt's status word (ghost_uapi.h v84): barrier u32 @0, flags u32 @4,
 * task u32 @8 (ghOSt: gtid u64), agent u32 @12, switch_time i64 @16, runtime u64 @24; then affinity mask @32, nice 8 | class 8 | cpu 16 | expected run time u32
 * ns @40, deadline @48, digest @56.
 * Barrier (the task's sequence number) and flags change in one 8-byte store.
 */
public final class StatusWord {
    /** The word is in use. */
    public static final int INUSE = 1;
    /** The task is runnable or running. */
    public static final int RUNNABLE = 2;
    /** The task is on a CPU. */
    public static final int ONCPU = 4;
    /** The word belongs to a CPU (ids from {@link EnclaveShape#tasks} on) that the enclave may use. */
    public static final int CPU_AVAIL = 8;
    /** The longest expected run time that is told, 4.29 s; it also stands for longer ones. */
    public static final long MOST_EXPECTED_NANOS = 0xffff_ffffL;
    static final int FLAGS = INUSE | RUNNABLE | ONCPU | CPU_AVAIL;

    int barrier;
    int flags;
    int task;
    int agent;
    long switchNanos;
    long runtimeNanos;
    long affinity;
    int nice;
    int taskClass;
    int cpu;
    long deadlineNanos;
    long expectedNanos;

    void clear() {
        barrier = 0;
        flags = 0;
        switchNanos = 0;
        runtimeNanos = 0;
        affinity = 0;
        nice = 0;
        taskClass = 0;
        cpu = 0;
        agent = 0;
        deadlineNanos = 0;
        expectedNanos = 0;
    }

    /** The task's sequence number. */
    public int sequence() {
        return barrier;
    }

    /** Whether the word describes a task. */
    public boolean isInUse() {
        return (flags & INUSE) != 0;
    }

    /** Whether the task is runnable and not on a CPU. */
    public boolean isWaiting() {
        return (flags & (INUSE | RUNNABLE | ONCPU)) == (INUSE | RUNNABLE);
    }

    /** Whether the task is on a CPU. */
    public boolean isOnCpu() {
        return (flags & (INUSE | ONCPU)) == (INUSE | ONCPU);
    }

    /** Whether this CPU may be used (status words of CPUs only). */
    public boolean isCpuAvailable() {
        return (flags & CPU_AVAIL) != 0;
    }

    /** The task id. */
    public int task() {
        return task;
    }

    /** The agent that decides about the task or for the CPU, by its number from 0. */
    public int agent() {
        return agent;
    }

    /** CPU time used, ns. */
    public long runtimeNanos() {
        return runtimeNanos;
    }

    /** When it last got a CPU, ns. */
    public long switchNanos() {
        return switchNanos;
    }

    /** Mask of the first 64 CPUs that the task may use. */
    public long affinity() {
        return affinity;
    }

    /** Priority, -20 to 19. */
    public int nice() {
        return nice;
    }

    /** Class hint. */
    public int taskClass() {
        return taskClass;
    }

    /** The CPU it runs on or ran on last. */
    public int cpu() {
        return cpu;
    }

    /** Deadline hint, ns; 0: none. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** Expected run time hint, ns, up to {@link #MOST_EXPECTED_NANOS}; 0: not known. */
    public long expectedNanos() {
        return expectedNanos;
    }
}
