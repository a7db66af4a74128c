package dev.bascule.agent;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A policy as three questions: where does a runnable task go, how does it leave, and which is next. This class keeps
 * the books: what is staged where, what the outcomes mean, and that no task is queued twice or forgotten.
 * <p>
 * Thread rule: the agent's thread. The books allocate nothing after the first reset.
 */
public abstract class QueueAgent implements Agent {
    /** Returned by {@link #pick}: nothing for this CPU. */
    protected static final int NONE = TaskQueue.NONE;

    private static final byte ELSEWHERE = 0;
    private static final byte QUEUED = 1;
    private static final byte STAGED = 2;
    /** Messages handled before decisions are made, so that a flood cannot starve CPUs. */
    private static final int BATCH = 64;
    /** CPUs whose outcomes are looked at in a round, besides those that messages named. */
    private static final int LOOKS = 32;
    /**
     * Rounds without news before outcomes are looked for although nothing waits for them: a look takes the line from the
     * host, which writes the outcome that is looked for, or is about to send a message that tells of it.
     */
    private static final int PATIENCE = 256;

    private byte[] place = {};
    private boolean[] waiting = {};
    private int[] stagedSequence = {};
    private long[] affinity = {};
    private int maskWords = 1;
    private boolean[] cpuAvailable = {};
    private boolean[] isOwn = {};
    private int[] running = {};
    private long[] maybeRoom = {};
    private boolean[] isNamed = {};
    private int[] named = {};
    private int namedCount;
    private int nextLook;
    private int queued;
    private int handled;
    private int quiet;
    /** CPUs that may not be used now. */
    private int away;
    private final OutcomeSink sink = this::settled;
    private @Nullable Enclave enclave;

    /** A queue policy. */
    protected QueueAgent() {}

    /** Start afresh for an enclave of this shape. */
    protected abstract void clear(EnclaveShape shape);

    /** The task is runnable: queue it. The message tells its class, priority and deadline. */
    protected abstract void enqueue(int task);

    /** The queued task is no longer runnable: take it out. */
    protected abstract void remove(int task);

    /**
     * Takes the task to run next on the CPU out of the queue, or {@link #NONE}. Ask {@link #mayUse} first. A task that is
     * not queued, for it was never enqueued, is taken out, or is picked already, is refused with a
     * {@link PolicyException}, which ends the agent.
     */
    protected abstract int pick(int cpu);

    /** Called for every message before the books are changed: for priorities, classes, deadlines, ticks and timers. */
    protected void observe(Message message) {}

    /**
     * The CPU was taken or unplugged, or is back, as {@link #isAvailable} says now: a policy with queues of CPUs moves what
     * waits there. What had been picked for it is enqueued again as its decisions are refused.
     */
    protected void cpuChanged(int cpu) {}

    /**
     * The CPUs that a queued task may use have changed. It is taken out and enqueued again; a policy whose order does not
     * depend on CPUs may do nothing instead.
     */
    protected void affinityChanged(int task) {
        remove(task);
        enqueue(task);
    }

    /** Time a task may run before it is preempted, ns; 0: until it blocks or yields. */
    protected long sliceNanos(int task) {
        return 0;
    }

    /** Whether the task, picked for this CPU, takes it away from the one that runs there now. */
    protected boolean preempts(int task, int cpu) {
        return false;
    }

    /**
     * Whether a task picked for the CPU might {@linkplain #preempts preempt} what runs there. Where nothing is staged ahead,
     * nothing is picked for a busy CPU of which this says no.
     */
    protected boolean mayPreempt(int cpu) {
        return false;
    }

    /** Time of this round, ns. */
    protected final long now() {
        return enclave == null ? 0 : enclave.now();
    }

    /** The task on the CPU as far as the agent knows, or {@link #NONE}. */
    protected final int runningOn(int cpu) {
        return running[requireCpu(cpu)];
    }

    /** Whether the enclave may use the CPU, as far as the agent knows. */
    protected final boolean isAvailable(int cpu) {
        return cpuAvailable[requireCpu(cpu)];
    }

    /** How many more decisions may be staged for the CPU now. */
    protected final int roomOn(int cpu) {
        return enclave == null || !cpuAvailable[requireCpu(cpu)] ? 0 : enclave.room(cpu);
    }

    /** Whether the task may run on the CPU: its affinity allows it, and this agent decides for the CPU. */
    protected final boolean mayUse(int task, int cpu) {
        if (task < 0 || task >= place.length) {
            throw new PolicyException(this,
                    "asks whether task " + task + " may use CPU " + cpu + ", but tasks are 0 to "
                            + (place.length - 1));
        }
        requireCpu(cpu);
        return isOwn[cpu] && (affinity[task * maskWords + (cpu >>> 6)] >>> cpu & 1) != 0;
    }

    private int requireCpu(int cpu) {
        if (cpu < 0 || cpu >= running.length) {
            throw new PolicyException(this, "asks about CPU " + cpu + ", but CPUs are 0 to " + (running.length - 1));
        }
        return cpu;
    }

    /** Takes the oldest task of {@code queue} that may use the CPU, or {@link #NONE}. */
    protected final int takeFirst(TaskQueue queue, int cpu) {
        int task = queue.peekFirst();
        while (task != NONE && !mayUse(task, cpu)) {
            task = queue.after(task);
        }
        if (task != NONE) {
            queue.remove(task);
        }
        return task;
    }

    @Override
    public final void reset(Enclave newEnclave) {
        EnclaveShape shape = newEnclave.shape();
        boolean sameAgent = newEnclave == enclave;
        enclave = newEnclave;
        if (place.length != shape.tasks() || cpuAvailable.length != shape.cpus()) {
            place = new byte[shape.tasks()];
            waiting = new boolean[shape.tasks()];
            stagedSequence = new int[shape.tasks()];
            maskWords = shape.maskWords();
            affinity = new long[shape.tasks() * maskWords];
            cpuAvailable = new boolean[shape.cpus()];
            isOwn = new boolean[shape.cpus()];
            running = new int[shape.cpus()];
            maybeRoom = new long[shape.cpus() + 63 >> 6];
            isNamed = new boolean[shape.cpus()];
            named = new int[shape.cpus()];
        }
        for (int cpu = 0; cpu < running.length; cpu++) {
            isOwn[cpu] = newEnclave.owns(cpu);
        }
        lookAtAll();
        Arrays.fill(isNamed, false);
        namedCount = 0;
        queued = 0;
        for (int task = 0; task < place.length; task++) {
            place[task] = sameAgent && place[task] == STAGED ? STAGED : ELSEWHERE;
        }
        Arrays.fill(waiting, false);
        Arrays.fill(cpuAvailable, true);
        away = 0;
        Arrays.fill(running, NONE);
        nextLook = 0;
        clear(shape);
    }

    @Override
    public final int doWork(Enclave same) {
        int work = 0;
        while (work < BATCH) {
            Message message = same.peek();
            if (message == null) {
                break;
            }
            handle(message);
            same.consume();
            work++;
        }
        handled = work;
        // of a CPU that is away decisions are refused without a message
        quiet = work > 0 || queued > 0 || away > 0 ? 0 : Math.min(quiet + 1, PATIENCE);
        if (quiet == 0 || quiet == PATIENCE) {
            work += outcomes(same);
        }
        int staged = queued == 0 ? 0 : fillAll(same, false) + fillAll(same, true);
        if (staged > 0) {
            same.commit();
        }
        return work + staged;
    }

    /** A round looks at some CPUs in turn, and at those that messages named: its cost does not grow with the enclave. */
    private int outcomes(Enclave same) {
        int count = 0;
        for (int i = 0; i < namedCount; i++) {
            isNamed[named[i]] = false;
            count += same.outcomes(named[i], 1, sink);
        }
        namedCount = 0;
        int first = nextLook;
        return count + same.outcomes(first, turnLook(), sink);
    }

    /** The next of those CPUs that are looked at in turn begins a round's look; returns how many it has. */
    private int turnLook() {
        int cpus = cpuAvailable.length;
        int most = Math.min(LOOKS - nextLook % LOOKS, cpus - nextLook);
        maybeRoom[nextLook >> 6] |= (1L << most) - 1 << nextLook; // of one word: LOOKS divides its bits
        nextLook = nextLook + most == cpus ? 0 : nextLook + most;
        return most;
    }

    /** Whether the next round will do nothing if nothing new reaches the agent: no task waits for a decision. */
    final boolean isAtRest() {
        return queued == 0 && handled < BATCH;
    }

    /** Such a round is left out, or any number of them. */
    final void skipRound() {
        quiet = PATIENCE;
        turnLook();
    }

    private void name(int cpu) {
        maybeRoom[cpu >> 6] |= 1L << cpu;
        if (!isNamed[cpu]) {
            isNamed[cpu] = true;
            named[namedCount++] = cpu;
        }
    }

    /** Idle CPUs come first: a decision staged behind a running task waits for it. */
    private int fillAll(Enclave same, boolean busyOnes) {
        int staged = 0;
        boolean isIdleOnly = busyOnes && !same.stagesAhead();
        for (int word = 0; word < maybeRoom.length; word++) {
            for (long left = maybeRoom[word]; left != 0 && queued > 0; left &= left - 1) {
                int cpu = word << 6 | Long.numberOfTrailingZeros(left);
                if (running[cpu] != NONE == busyOnes && cpuAvailable[cpu] && isOwn[cpu]) {
                    staged += isIdleOnly && !mayPreempt(cpu) ? leave(cpu) : fill(same, cpu);
                }
            }
        }
        return staged;
    }

    private int fill(Enclave same, int cpu) {
        int staged = 0;
        for (int room = same.room(cpu); room > 0; room--) {
            int task = pick(cpu);
            if (task == NONE) {
                return staged;
            }
            if (task < 0 || task >= place.length || place[task] != QUEUED) {
                throw refusal(cpu, task);
            }
            queued--;
            Transaction decision = same.open(cpu, task).sliceNanos(sliceNanos(task));
            if (preempts(task, cpu)) {
                decision.commitFlags(Transaction.AT_COMMIT);
            }
            same.stage(decision);
            place[task] = STAGED;
            stagedSequence[task] = same.sequence(task);
            staged++;
        }
        return staged + leave(cpu);
    }

    /** The CPU has no room until an outcome or a message says otherwise, or its turn comes. */
    private int leave(int cpu) {
        maybeRoom[cpu >> 6] &= ~(1L << cpu);
        return 0;
    }

    private PolicyException refusal(int cpu, int task) {
        String why = task < 0 || task >= place.length
                ? "which is none: tasks are 0 to " + (place.length - 1)
                : place[task] == STAGED
                        ? "which it has picked already and whose outcome is still to come"
                        : "which is not queued: it runs, waits, or is gone";
        return new PolicyException(this, "pick for CPU " + cpu + " returned task " + task + ", " + why
                + "; return a task that was enqueued and neither removed nor picked since, or NONE");
    }

    private void readAffinity(int task) {
        for (int word = 1; enclave != null && word < maskWords; word++) {
            affinity[task * maskWords + word] = enclave.affinity(task, word);
        }
    }

    private void handle(Message message) {
        observe(message);
        MessageType type = message.type();
        if (message.cpu() < running.length) {
            name(message.cpu());
        }
        if (type == MessageType.CPU_AVAILABLE || type == MessageType.CPU_BUSY) {
            setAvailable(message.cpu(), type == MessageType.CPU_AVAILABLE);
        }
        if (type == null || type.code() >= MessageType.CPU_TICK.code()) {
            return;
        }
        int task = message.task();
        if (place[task] == STAGED && stagedSequence[task] != sequence(task)) {
            place[task] = ELSEWHERE; // that decision is used up or stale: its outcome tells nothing that this does not
        }
        affinity[task * maskWords] = message.affinity();
        if (maskWords > 1 && (type == MessageType.TASK_NEW || type == MessageType.TASK_AFFINITY_CHANGED)) {
            readAffinity(task);
        }
        waiting[task] = message.leavesRunnable();
        int cpu = message.cpu();
        if ((message.flags() & Message.ONCPU) != 0 && cpu < running.length) {
            running[cpu] = task;
        } else if (cpu < running.length && running[cpu] == task) {
            running[cpu] = NONE;
        }
        if (place[task] == QUEUED && !waiting[task]) {
            place[task] = ELSEWHERE;
            queued--;
            remove(task);
        } else if (place[task] == QUEUED && type == MessageType.TASK_AFFINITY_CHANGED) {
            affinityChanged(task);
            lookAtAll();
        } else {
            enqueueIfWaiting(task);
        }
    }

    private void setAvailable(int cpu, boolean isAvailable) {
        if (cpuAvailable[cpu] != isAvailable) {
            cpuAvailable[cpu] = isAvailable;
            away += isAvailable ? -1 : 1;
            cpuChanged(cpu);
            lookAtAll();
        }
    }

    /** Tasks may have moved between queues of CPUs. */
    private void lookAtAll() {
        for (int cpu = 0; cpu < running.length; cpu++) {
            maybeRoom[cpu >> 6] |= 1L << cpu;
        }
    }

    private int sequence(int task) {
        return enclave == null ? 0 : enclave.sequence(task);
    }

    private void enqueueIfWaiting(int task) {
        if (place[task] == ELSEWHERE && waiting[task]) {
            place[task] = QUEUED;
            queued++;
            enqueue(task);
        }
    }

    /**
     * The books after an outcome. If the task changed and no newer message has come yet, one is on its way and will be
     * acted on; if one has come, it has been acted on. Of an agent that was stale itself the task is as it was.
     */
    private void settled(int cpu, int number, long identity, Outcome outcome) {
        maybeRoom[cpu >> 6] |= 1L << cpu;
        int task = Identity.task(identity);
        if (task >= place.length || place[task] != STAGED || stagedSequence[task] != Identity.sequence(identity)) {
            return;
        }
        place[task] = ELSEWHERE;
        if (outcome == Outcome.COMPLETE && sequence(task) == Identity.sequence(identity)) {
            running[cpu] = task;
        }
        boolean changed = outcome == Outcome.COMPLETE || outcome.isStale() && outcome != Outcome.AGENT_STALE;
        if (changed && sequence(task) == Identity.sequence(identity)) {
            waiting[task] = false;
        }
        enqueueIfWaiting(task);
    }

}
