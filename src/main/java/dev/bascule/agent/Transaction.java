package dev.bascule.agent;

/**
 * One decision: run this task on that CPU. A reusable view of six content words, used by the agent that writes it and
 * the host that reads it; with the transport's two words it is one 64-byte line, as in ghOSt.
 * <p>
 * Words: 0 {@link Identity} of the target (its sequence number is ghOSt's task barrier); 1 cpu 16 | run flags 16 |
 * commit flags 8 | ABI version 8 | group size 16; 2 agent barrier 32 | group 32; 3 slice ns; 4 observed (T1) ns; 5 the
 * agent of an association, else zero.
 * <p>
 * Thread rule: belongs to one thread.
 */
public final class Transaction {
    /** Special target: take the current task off the CPU and run nothing. */
    public static final int TARGET_NULL = Identity.MAX_TASKS;
    /** Special target: keep the CPU idle. */
    public static final int TARGET_IDLE = Identity.MAX_TASKS + 1;
    /** Special target: ping; only asks for an outcome. */
    public static final int TARGET_AGENT = Identity.MAX_TASKS + 2;

    /** Commit flag: take effect when the CPU next schedules (prestaged). */
    public static final int AT_SCHEDULE = 1;
    /** Commit flag: take effect at once, by preemption at the next yield point. */
    public static final int AT_COMMIT = 2;
    /** Commit flag: a task that already runs on this very CPU is no failure. */
    public static final int ALLOW_ONCPU = 4;
    /**
     * Commit flag: refuse as AGENT_STALE if the agent had not consumed all its messages when it decided. Set by
     * {@link #agentBarrier}.
     */
    public static final int CHECK_AGENT = 1 << 5;
    static final int COMMIT_FLAGS = AT_SCHEDULE | AT_COMMIT | ALLOW_ONCPU | CHECK_AGENT;

    /** Run flag: send TASK_ON_CPU when the task starts. For tasks; INVALID_FLAGS with a special target. */
    public static final int RUN_SEND_ON_CPU = 1 << 10;
    /**
     * Run flag: send CPU_NOT_IDLE when the CPU next starts a task, whoever decides it. For {@link #TARGET_IDLE} and
     * {@link #TARGET_NULL}; INVALID_FLAGS with anything else.
     */
    public static final int RUN_NEED_NOT_IDLE = 1 << 7;
    /**
     * Run flag: the task keeps its CPU until it blocks or yields, whatever its slice. For tasks; INVALID_FLAGS with a
     * special target.
     */
    public static final int RUN_DO_NOT_PREEMPT = 1 << 12;
    /**
     * Run flag: the task does not run, but goes to another agent, with all its later messages (ghOSt's ASSOCIATE_QUEUE, whose
     * barrier is the task's sequence number here). Set by {@link #associate}.
     */
    public static final int RUN_ASSOCIATE = 1 << 14;
    /** An hour. A longer slice counts as none, so that computing the end of a slice never overflows. */
    public static final long LONGEST_SLICE_NANOS = 3_600_000_000_000L;
    private static final int RUN_FLAGS_OF_TASKS = RUN_SEND_ON_CPU | RUN_DO_NOT_PREEMPT;

    private final long[] words = new long[Message.WORDS];
    private int slotCpu;
    private int number;
    private int revision;

    /** The content words, for transports; not a copy. */
    public long[] words() {
        return words;
    }

    /** Starts a decision: run {@code task} as last seen with {@code sequence} on {@code cpu} when it next schedules. */
    public Transaction set(int cpu, int epoch, int sequence, int task) {
        words[0] = Identity.of(epoch, sequence, task);
        words[1] = (long) (cpu & 0xffff) << 48 | (long) AT_SCHEDULE << 24 | (long) Abi.VERSION << 16;
        words[2] = 0;
        words[3] = 0;
        words[4] = 0;
        words[5] = 0;
        return this;
    }

    /** Replaces the commit flags. */
    public Transaction commitFlags(int flags) {
        words[1] = words[1] & ~(0xffL << 24) | (flags & 0xffL) << 24;
        return this;
    }

    /** Replaces the run flags. */
    public Transaction runFlags(int flags) {
        words[1] = words[1] & ~(0xffffL << 32) | (flags & 0xffffL) << 32;
        return this;
    }

    /**
     * Makes it an association: the task goes to {@code agent}, which is told TASK_NEW, and this agent TASK_DEPARTED; what was
     * decided about it before is stale. It takes effect as soon as the CPU looks, whatever runs there.
     */
    public Transaction associate(int agent) {
        words[5] = agent;
        return runFlags(RUN_ASSOCIATE).commitFlags(AT_COMMIT);
    }

    /** Makes it a member of an all-or-none group: same id on every member, {@code size} members, 1 a CPU. */
    public Transaction group(int group, int size) {
        words[1] = words[1] & ~0xffffL | (size & 0xffffL);
        words[2] = words[2] & ~0xffff_ffffL | (group & 0xffff_ffffL);
        return this;
    }

    /**
     * The agent's count of consumed messages when it looked, which is checked from now on ({@link #CHECK_AGENT}); set the
     * commit flags before. ghOSt checks it for an agent that decides for the CPU it runs on; staged ahead of need, a decision
     * with it is stale as soon as anything happens to any of the agent's tasks.
     */
    public Transaction agentBarrier(int barrier) {
        words[2] = words[2] & 0xffff_ffffL | (long) barrier << 32;
        return commitFlags(commitFlags() | CHECK_AGENT);
    }

    /**
     * How long the task may run before it is preempted, in ns; 0, a negative value or more than
     * {@link #LONGEST_SLICE_NANOS}: until it blocks or yields.
     */
    public Transaction sliceNanos(long nanos) {
        words[3] = nanos;
        return this;
    }

    /** When the agent read the state the decision rests on (T1), ns. */
    public Transaction observedNanos(long nanos) {
        words[4] = nanos;
        return this;
    }

    /** Sets the ABI version; for tests and for peers of another version. */
    public Transaction version(int version) {
        words[1] = words[1] & ~(0xffL << 16) | (version & 0xffL) << 16;
        return this;
    }

    /** Names the slot it went to or came from: CPU, the CPU's decision number, and the revision of its content. */
    public void slot(int cpu, int decisionNumber, int contentRevision) {
        slotCpu = cpu;
        number = decisionNumber;
        revision = contentRevision;
    }

    /** Task, sequence number and epoch. */
    public long identity() {
        return words[0];
    }

    /** Target task id or special target. */
    public int task() {
        return Identity.task(words[0]);
    }

    /** The task barrier. */
    public int sequence() {
        return Identity.sequence(words[0]);
    }

    /** The agent's epoch. */
    public int epoch() {
        return Identity.epoch(words[0]);
    }

    /** The CPU. */
    public int cpu() {
        return (int) (words[1] >>> 48);
    }

    /** Run flags. */
    public int runFlags() {
        return (int) (words[1] >>> 32) & 0xffff;
    }

    /** Whether every flag is known and means something with this target, so that none is ignored. */
    boolean areFlagsValid() {
        int when = commitFlags() & (AT_SCHEDULE | AT_COMMIT);
        int meant = switch (task()) {
            case TARGET_NULL, TARGET_IDLE -> RUN_NEED_NOT_IDLE;
            case TARGET_AGENT -> 0;
            default -> isAssociation() && groupSize() <= 1 ? RUN_ASSOCIATE : RUN_FLAGS_OF_TASKS;
        };
        return Integer.bitCount(when) == 1 && (commitFlags() & ~COMMIT_FLAGS) == 0 && (runFlags() & ~meant) == 0;
    }

    /** Whether the task goes to another agent, and does not run. */
    public boolean isAssociation() {
        return (runFlags() & RUN_ASSOCIATE) != 0;
    }

    /** Whether it names a task that is to run: neither a special target nor one that goes to another agent. */
    public boolean startsTask() {
        return task() < Identity.MAX_TASKS && !isAssociation();
    }

    /** The agent of an association, by its number from 0. */
    public long agent() {
        return words[5];
    }

    /** Commit flags. */
    public int commitFlags() {
        return (int) (words[1] >>> 24) & 0xff;
    }

    /** ABI version. */
    int version() {
        return (int) (words[1] >>> 16) & 0xff;
    }

    /** Members of its group; 0 or 1: none. */
    public int groupSize() {
        return (int) words[1] & 0xffff;
    }

    /** Group id. */
    public int group() {
        return (int) words[2];
    }

    /** Agent barrier. */
    public int agentBarrier() {
        return (int) (words[2] >>> 32);
    }

    /** Slice in ns, 0: none. */
    public long sliceNanos() {
        return words[3];
    }

    /** T1, ns. */
    public long observedNanos() {
        return words[4];
    }

    /** The CPU in whose slot it lies; the transport's word, where {@link #cpu} is the agent's. */
    public int slotCpu() {
        return slotCpu;
    }

    /** The CPU's decision number, counted from 1 in each epoch. */
    public int number() {
        return number;
    }

    /** Revision of the slot's content: 0, and one more each time the agent took back what it had staged. */
    public int revision() {
        return revision;
    }

    @Override
    public String toString() {
        return "decision " + number + "." + revision + " cpu " + cpu() + " task " + task() + " #" + sequence()
                + " epoch " + epoch();
    }
}
