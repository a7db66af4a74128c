package dev.bascule.agent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The host's truth about every task, and the rule that decides whether a decision may still be enforced. Pure: no
 * clock, no queue. Used by the live host, the simulated host, the tests and the state explorer alike.
 * <p>
 * Thread rule: a task's state and sequence number are one word. A CPU takes a runnable task by compare-and-swap, beside
 * whatever other CPUs do; from then on the task's entries are its own until it gives the task back. Every other change
 * of the word is made by who holds the task, or while no CPU decides.
 */
final class TaskTable {
    static final byte FREE = 0;
    static final byte BLOCKED = 1;
    static final byte RUNNABLE = 2;
    static final byte ONCPU = 3;
    static final byte DEPARTED = 4;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int STATE_BITS = 4;

    private final int[] words;
    final int[] cpu;
    /** The agent that decides about the task; changes while no CPU decides. */
    final int[] agent;
    private final int maskWords;
    private final long[] affinity;
    final byte[] nice;
    final byte[] taskClass;
    final long[] runtimeNanos;
    final long[] switchNanos;
    final long[] deadlineNanos;
    final long[] expectedNanos;

    TaskTable(EnclaveShape shape) {
        int tasks = shape.tasks();
        words = new int[tasks];
        cpu = new int[tasks];
        agent = new int[tasks];
        maskWords = shape.maskWords();
        affinity = new long[tasks * maskWords];
        nice = new byte[tasks];
        taskClass = new byte[tasks];
        runtimeNanos = new long[tasks];
        switchNanos = new long[tasks];
        deadlineNanos = new long[tasks];
        expectedNanos = new long[tasks];
    }

    int size() {
        return words.length;
    }

    private int word(int task) {
        return (int) WORD.getAcquire(words, task);
    }

    private static int word(byte state, int sequence) {
        return sequence << STATE_BITS | state;
    }

    private static byte stateOf(int word) {
        return (byte) (word & (1 << STATE_BITS) - 1);
    }

    byte state(int task) {
        return stateOf(word(task));
    }

    int sequence(int task) {
        return word(task) >>> STATE_BITS;
    }

    /** Partner: the acquire of whoever finds the task in this state, which then sees all that was written of it. */
    void set(int task, byte state, int sequence) {
        WORD.setRelease(words, task, word(state, sequence));
    }

    /** A CPU takes a runnable task for a decision made at {@code sequence}; false if another was faster, or it changed. */
    boolean claim(int task, int sequence) {
        return WORD.compareAndSet(words, task, word(RUNNABLE, sequence), word(ONCPU, sequence));
    }

    /** A new task has this id. */
    void begin(int task, int withNice, int ofClass) {
        nice[task] = (byte) withNice;
        taskClass[task] = (byte) ofClass;
        runtimeNanos[task] = 0;
        deadlineNanos[task] = 0;
        expectedNanos[task] = 0;
    }

    /** Checks what an event needs; {@code step} is for the message. */
    void expect(int task, byte state, String step) {
        if (state(task) != state) {
            throw new IllegalStateException(step + " task " + task + ": it is " + describe(task));
        }
    }

    /** Text that says what the task does. */
    String describe(int task) {
        return switch (state(task)) {
            case BLOCKED -> "blocked";
            case RUNNABLE -> "runnable";
            case ONCPU -> "on CPU " + cpu[task];
            case DEPARTED -> "departed";
            default -> "not there";
        };
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
        Outcome known = checkKnown(decision);
        if (known != Outcome.COMPLETE) {
            return known;
        }
        int task = decision.task();
        byte is = state(task);
        if (is == ONCPU) {
            boolean here = cpu[task] == decision.cpu() && (decision.commitFlags() & Transaction.ALLOW_ONCPU) != 0;
            return here ? Outcome.COMPLETE : Outcome.TARGET_ONCPU;
        }
        if (is == BLOCKED) {
            return Outcome.TARGET_NOT_RUNNABLE;
        }
        return isAllowed(task, decision.cpu()) ? Outcome.COMPLETE : Outcome.NOT_PERMITTED;
    }

    /** Outcome of a decision that gives the task to another agent: it may wait, but not run. */
    Outcome checkMove(Transaction decision) {
        Outcome known = checkKnown(decision);
        return known == Outcome.COMPLETE && state(decision.task()) == ONCPU ? Outcome.TARGET_ONCPU : known;
    }

    /** Whether the task is there, and has not changed since the agent was last told of it. */
    private Outcome checkKnown(Transaction decision) {
        int task = decision.task();
        if (task >= words.length) {
            return Outcome.INVALID_TARGET;
        }
        int word = word(task);
        byte is = stateOf(word);
        if (is == FREE) {
            return Outcome.TARGET_NOT_FOUND;
        }
        if (is == DEPARTED) {
            return Outcome.NOT_PERMITTED;
        }
        return word >>> STATE_BITS == decision.sequence() ? Outcome.COMPLETE : Outcome.TARGET_STALE;
    }

    /** Fills the status word of a task in this state. */
    void copyTo(int task, byte is, int sequence, StatusWord word) {
        word.task = task;
        word.barrier = sequence;
        word.flags = is == FREE || is == DEPARTED
                ? 0
                : StatusWord.INUSE | (is == BLOCKED ? 0 : StatusWord.RUNNABLE) | (is == ONCPU ? StatusWord.ONCPU : 0);
        word.switchNanos = switchNanos[task];
        word.runtimeNanos = runtimeNanos[task];
        word.affinity = affinity(task, 0);
        word.nice = nice[task];
        word.taskClass = taskClass[task] & 0xff;
        word.cpu = cpu[task];
        word.agent = agent[task];
        word.deadlineNanos = deadlineNanos[task];
        word.expectedNanos = expectedNanos[task];
    }
}
