package dev.bascule.agent;

/**
 * The host's truth about every task, and the rule that decides whether a decision may still be enforced. Pure: no
 * clock, no queue, no thread. Used by the live host, the simulated host, the tests and the state explorer alike.
 */
final class TaskTable {
    static final byte FREE = 0;
    static final byte BLOCKED = 1;
    static final byte RUNNABLE = 2;
    static final byte ONCPU = 3;
    static final byte DEPARTED = 4;

    final byte[] state;
    final int[] sequence;
    final int[] cpu;
    private final int maskWords;
    private final long[] affinity;
    final byte[] nice;
    final byte[] taskClass;
    final long[] runtimeNanos;
    final long[] switchNanos;
    final long[] deadlineNanos;

    TaskTable(EnclaveShape shape) {
        int tasks = shape.tasks();
        state = new byte[tasks];
        sequence = new int[tasks];
        cpu = new int[tasks];
        maskWords = shape.maskWords();
        affinity = new long[tasks * maskWords];
        nice = new byte[tasks];
        taskClass = new byte[tasks];
        runtimeNanos = new long[tasks];
        switchNanos = new long[tasks];
        deadlineNanos = new long[tasks];
    }

    int size() {
        return state.length;
    }

    void advance(int task) {
        sequence[task] = Identity.next(sequence[task]);
    }

    boolean isAllowed(int task, int onCpu) {
        return (affinity(task, onCpu >>> 6) >>> onCpu & 1) != 0;
    }

    int maskWords() {
        return maskWords;
    }

    /** CPUs 64 * {@code word} and up that the task may use. */
    long affinity(int task, int word) {
        return affinity[task * maskWords + word];
    }

    /** One bit a CPU from CPU 0 on; CPUs without a bit may not be used. */
    void setAffinity(int task, long[] mask) {
        for (int word = 0; word < maskWords; word++) {
            affinity[task * maskWords + word] = word < mask.length ? mask[word] : 0;
        }
    }

    /** The first 64 CPUs; all ones stand for any CPU. */
    void setAffinity(int task, long mask) {
        for (int word = 0; word < maskWords; word++) {
            affinity[task * maskWords + word] = word == 0 || mask == -1 ? mask : 0;
        }
    }

    /** Wave's staleness rule for a task target: compare at the authority (Wave §2.2; ghOSt task barrier). */
    Outcome check(Transaction decision) {
        int task = decision.task();
        if (task >= state.length) {
            return Outcome.INVALID_TARGET;
        }
        byte is = state[task];
        if (is == FREE) {
            return Outcome.TARGET_NOT_FOUND;
        }
        if (is == DEPARTED) {
            return Outcome.NOT_PERMITTED;
        }
        if (sequence[task] != decision.sequence()) {
            return Outcome.TARGET_STALE;
        }
        if (is == ONCPU) {
            boolean here = cpu[task] == decision.cpu() && (decision.commitFlags() & Transaction.ALLOW_ONCPU) != 0;
            return here ? Outcome.COMPLETE : Outcome.TARGET_ONCPU;
        }
        if (is == BLOCKED) {
            return Outcome.TARGET_NOT_RUNNABLE;
        }
        return isAllowed(task, decision.cpu()) ? Outcome.COMPLETE : Outcome.NOT_PERMITTED;
    }

    void copyTo(int task, StatusWord word) {
        byte is = state[task];
        word.task = task;
        word.barrier = sequence[task];
        word.flags = is == FREE || is == DEPARTED
                ? 0
                : StatusWord.INUSE | (is == BLOCKED ? 0 : StatusWord.RUNNABLE) | (is == ONCPU ? StatusWord.ONCPU : 0);
        word.switchNanos = switchNanos[task];
        word.runtimeNanos = runtimeNanos[task];
        word.affinity = affinity(task, 0);
        word.nice = nice[task];
        word.taskClass = taskClass[task] & 0xff;
        word.cpu = cpu[task];
        word.deadlineNanos = deadlineNanos[task];
    }
}
