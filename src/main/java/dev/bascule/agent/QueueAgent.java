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

    private byte[] place = {};
    private boolean[] waiting = {};
    private int[] stagedSequence = {};
    private long[] affinity = {};
    private boolean[] cpuAvailable = {};
    private int[] running = {};
    private final OutcomeSink sink = this::settled;
    private @Nullable Enclave enclave;

    /** A queue policy. */
    protected QueueAgent() {}

    /** Start afresh for an enclave of this shape. */
    protected abstract void clear(EnclaveShape shape);

    /** The task is runnable: queue it. The message tells its class, priority and deadline. */
    protected abstract void enqueue(int task);

    /** The queued task is not runnable any more: take it out. */
    protected abstract void remove(int task);

    /** Takes the task to run next on the CPU out of the queue, or {@link #NONE}. Ask {@link #mayUse} first. */
    protected abstract int pick(int cpu);

    /** Told of every message before the books are changed: for priorities, classes, deadlines, ticks and timers. */
    protected void observe(Message message) {}

    /** Time a task may run before it is preempted, ns; 0: until it blocks or yields. */
    protected long sliceNanos(int task) {
        return 0;
    }

    /** Whether the task's affinity allows the CPU. */
    protected final boolean mayUse(int task, int cpu) {
        return (affinity[task] >>> (cpu & 63) & 1) != 0;
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
            affinity = new long[shape.tasks()];
            cpuAvailable = new boolean[shape.cpus()];
            running = new int[shape.cpus()];
        }
        for (int task = 0; task < place.length; task++) {
            place[task] = sameAgent && place[task] == STAGED ? STAGED : ELSEWHERE;
        }
        Arrays.fill(waiting, false);
        Arrays.fill(cpuAvailable, true);
        Arrays.fill(running, NONE);
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
        work += same.outcomes(sink);
        int staged = fillAll(same, false) + fillAll(same, true);
        if (staged > 0) {
            same.commit();
        }
        return work + staged;
    }

    /** Idle CPUs come first: a decision staged behind a running task waits for it. */
    private int fillAll(Enclave same, boolean busyOnes) {
        int staged = 0;
        for (int cpu = 0; cpu < cpuAvailable.length; cpu++) {
            if (running[cpu] != NONE == busyOnes && cpuAvailable[cpu] && same.owns(cpu)) {
                staged += fill(same, cpu);
            }
        }
        return staged;
    }

    private int fill(Enclave same, int cpu) {
        int staged = 0;
        for (int room = same.room(cpu); room > 0; room--) {
            int task = pick(cpu);
            if (task == NONE) {
                break;
            }
            same.stage(same.open(cpu, task).sliceNanos(sliceNanos(task)));
            place[task] = STAGED;
            stagedSequence[task] = same.sequence(task);
            staged++;
        }
        return staged;
    }

    private void handle(Message message) {
        observe(message);
        MessageType type = message.type();
        if (type == MessageType.CPU_AVAILABLE || type == MessageType.CPU_BUSY) {
            cpuAvailable[message.cpu()] = type == MessageType.CPU_AVAILABLE;
        }
        if (type == null || type.code() >= MessageType.CPU_TICK.code()) {
            return;
        }
        int task = message.task();
        affinity[task] = message.affinity();
        waiting[task] = message.leavesRunnable();
        int cpu = message.cpu();
        if ((message.flags() & Message.ONCPU) != 0 && cpu < running.length) {
            running[cpu] = task;
        } else if (cpu < running.length && running[cpu] == task) {
            running[cpu] = NONE;
        }
        if (place[task] == QUEUED && !waiting[task]) {
            place[task] = ELSEWHERE;
            remove(task);
        } else {
            enqueueIfWaiting(task);
        }
    }

    private int sequence(int task) {
        return enclave == null ? 0 : enclave.sequence(task);
    }

    private void enqueueIfWaiting(int task) {
        if (place[task] == ELSEWHERE && waiting[task]) {
            place[task] = QUEUED;
            enqueue(task);
        }
    }

    /**
     * The books after an outcome. If the task changed and no newer message has come yet, one is on its way and will
     * tell; if one has come, it has told already.
     */
    private void settled(int cpu, int number, long identity, Outcome outcome) {
        int task = Identity.task(identity);
        if (task >= place.length || place[task] != STAGED || stagedSequence[task] != Identity.sequence(identity)) {
            return;
        }
        place[task] = ELSEWHERE;
        if (outcome == Outcome.COMPLETE && sequence(task) == Identity.sequence(identity)) {
            running[cpu] = task;
        }
        boolean changed = outcome == Outcome.COMPLETE || outcome.isStale();
        if (changed && sequence(task) == Identity.sequence(identity)) {
            waiting[task] = false;
        }
        enqueueIfWaiting(task);
    }

}
