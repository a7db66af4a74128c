package dev.bascule.policy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.TaskQueue;
import dev.bascule.agent.Transaction;
import java.util.Arrays;

/**
 * Shinjuku as ghOSt's own agent plays it (SOSP'21, section 4.2; its agent_shinjuku): no slice is left to the kernel. The agent
 * looks at the clock, and when a task waits and no CPU is free it takes the one whose task has run for the quantum. That counts from
 * the decision that ran the task there: a worker that goes on with its next job without one has no new quantum. Each decision takes
 * effect at once, by interrupt. A CPU that has nothing more to run is told so, each by a commit of its own, before the round's other
 * decisions are committed together. A commit is a system call that checks under the lock of the target's run queue: the agent waits
 * for no target, and decides for a CPU again once it knows what became of the last decision. Whoever is taken off a CPU
 * has been preempted, as ghOSt's kernel says it, and goes before all that wait. Of ghOSt's workers that holds also
 * without a job, as they spin on their CPU until it is taken; where they do, the queue is mostly last in, first out. A
 * worker that blocks has given its CPU up itself, and queues last with its next job.
 * <p>
 * Tasks with a nice value above 0 are best effort, as ghOSt's classes of service have them: they run where nothing else
 * waits, give their CPU at once to any other task that waits, and to each other after a quantum.
 * <p>
 * Thread rule: the agent's thread. Allocates nothing after the first reset.
 */
public final class GhostShinjukuAgent implements Agent {
    private static final int NONE = TaskQueue.NONE;
    private static final byte AWAY = 0;
    private static final byte QUEUED = 1;
    private static final byte DECIDED = 2;
    private static final byte ONCPU = 3;
    private static final long NEVER = Long.MAX_VALUE;

    private final long quantumNanos;
    private final boolean workersSpin;
    private TaskQueue queue = new TaskQueue(0);
    private TaskQueue bestEffort = new TaskQueue(0);
    private boolean[] isBestEffort = {};
    private byte[] place = {};
    private boolean[] isRunnable = {};
    private int[] cpuOf = {};
    private long[] affinity = {};
    private int[] running = {};
    private int[] ranByDecision = {};
    private int[] occupant = {};
    private boolean[] isBoosted = {};
    private long[] sinceNanos = {};
    private long[] committedNanos = {};
    private boolean[] isLoaded = {};
    private boolean[] isAvailable = {};
    private boolean[] isOpen = {};
    private int[] started = {};
    private long[] decided = {};
    private int startedCount;
    private long armedNanos = NEVER;
    private final OutcomeSink sink = this::settled;
    private Enclave enclave;

    /** For workers that block when they have no job; with a quantum in ns, at least 1. */
    public GhostShinjukuAgent(long quantumNanos) {
        this(quantumNanos, false);
    }

    /** With a quantum in ns, at least 1; {@code workersSpin}: on their CPUs when they have no job, else they block. */
    @SuppressWarnings("NullAway.Init") // every round begins after a reset
    public GhostShinjukuAgent(long quantumNanos, boolean workersSpin) {
        if (quantumNanos < 1) {
            throw new IllegalArgumentException(
                    "ghost-shinjuku: quantum is " + quantumNanos + " ns, must be at least 1");
        }
        this.quantumNanos = quantumNanos;
        this.workersSpin = workersSpin;
    }

    @Override
    public void reset(Enclave newEnclave) {
        EnclaveShape shape = newEnclave.shape();
        enclave = newEnclave;
        queue = new TaskQueue(shape.tasks());
        bestEffort = new TaskQueue(shape.tasks());
        isBestEffort = new boolean[shape.tasks()];
        place = new byte[shape.tasks()];
        isRunnable = new boolean[shape.tasks()];
        cpuOf = new int[shape.tasks()];
        affinity = new long[shape.tasks()];
        running = new int[shape.cpus()];
        Arrays.fill(running, NONE);
        isBoosted = new boolean[shape.tasks()];
        occupant = new int[shape.cpus()];
        Arrays.fill(occupant, NONE);
        ranByDecision = new int[shape.cpus()];
        Arrays.fill(ranByDecision, NONE);
        sinceNanos = new long[shape.cpus()];
        committedNanos = new long[shape.cpus()];
        isLoaded = new boolean[shape.cpus()];
        isAvailable = new boolean[shape.cpus()];
        Arrays.fill(isAvailable, true);
        isOpen = new boolean[shape.cpus()];
        started = new int[shape.cpus()];
        decided = new long[shape.cpus()];
        startedCount = 0;
        armedNanos = NEVER;
    }

    @Override
    public int doWork(Enclave same) {
        int work = same.outcomes(sink);
        for (Message message = same.peek(); message != null; message = same.peek()) {
            handle(message);
            same.consume();
            work++;
        }
        takeEffect();
        work += clear(same);
        int staged = schedule(same);
        if (staged > 0) {
            same.commit();
            committed(same.now());
        }
        return work + staged;
    }

    /** The quanta of those that the round has decided for begin, whenever their CPUs get to it. */
    private void committed(long nowNanos) {
        for (int cpu = 0; cpu < isOpen.length; cpu++) {
            committedNanos[cpu] = isOpen[cpu] && committedNanos[cpu] == NEVER ? nowNanos : committedNanos[cpu];
        }
    }

    // ---- what the host says

    private void handle(Message message) {
        MessageType type = message.type();
        int cpu = message.cpu();
        if (type == MessageType.CPU_TIMER_EXPIRED) {
            armedNanos = NEVER;
        } else if (type == MessageType.CPU_AVAILABLE || type == MessageType.CPU_BUSY) {
            isAvailable[cpu] = type == MessageType.CPU_AVAILABLE;
        } else if (type != null && type.code() < MessageType.CPU_TICK.code()) {
            task(message.task(), message);
        }
    }

    private void task(int task, Message message) {
        leaves(task);
        affinity[task] = message.affinity();
        isBestEffort[task] = message.nice() > 0;
        isRunnable[task] = (message.flags() & Message.RUNNABLE) != 0;
        isBoosted[task] &= mayGoFirst(task);
        if ((message.flags() & Message.ONCPU) != 0) {
            starts(task, message.cpu());
        } else if (isRunnable[task] && place[task] == AWAY) {
            enqueue(task, isBoosted[task]);
        }
    }

    private void enqueue(int task, boolean isFirst) {
        place[task] = QUEUED;
        TaskQueue waiting = isBestEffort[task] ? bestEffort : queue;
        if (isFirst) {
            waiting.addFirst(task);
        } else {
            waiting.addLast(task);
        }
    }

    /** Whether the task, taken off its CPU, would rather be there: it goes on with a job, or spins. */
    private boolean mayGoFirst(int task) {
        return workersSpin || isRunnable[task];
    }

    /** Whoever was on the CPU has been preempted there, and goes before all others. */
    private void occupies(int task, int cpu) {
        int before = occupant[cpu];
        occupant[cpu] = task;
        if (task != NONE) {
            isBoosted[task] = false;
        }
        if (before == NONE || before == task || !mayGoFirst(before)) {
            return;
        }
        isBoosted[before] = true;
        if (place[before] == QUEUED) {
            leaves(before);
            enqueue(before, true);
        }
    }

    private int waiting() {
        return queue.size() + bestEffort.size();
    }

    /** The task's message says anew where it is: a decision about it has become stale, or has taken effect before. */
    private void leaves(int task) {
        if (place[task] == QUEUED) {
            queue.remove(task);
            bestEffort.remove(task);
            place[task] = AWAY;
        } else if (place[task] == DECIDED) {
            place[task] = AWAY;
        } else if (place[task] == ONCPU) {
            running[cpuOf[task]] = running[cpuOf[task]] == task ? NONE : running[cpuOf[task]];
            place[task] = AWAY;
        }
    }

    private void starts(int task, int cpu) {
        place[task] = ONCPU;
        cpuOf[task] = cpu;
        running[cpu] = task;
        isLoaded[cpu] = true;
        if (ranByDecision[cpu] != task) {
            ranByDecision[cpu] = task;
            sinceNanos[cpu] = enclave.now();
        }
    }

    /** Messages may be older than an outcome: it counts after those that are there by now. */
    private void settled(int cpu, int number, long identity, Outcome outcome) {
        isOpen[cpu] = false;
        int task = Identity.task(identity);
        isLoaded[cpu] |= outcome == Outcome.COMPLETE && task < place.length;
        if (outcome == Outcome.COMPLETE) {
            occupies(task < place.length ? task : NONE, cpu);
        }
        if (task < place.length && place[task] == DECIDED && cpuOf[task] == cpu) {
            place[task] = AWAY;
            if (outcome == Outcome.COMPLETE) {
                started[startedCount] = cpu;
                decided[startedCount++] = identity;
            } else if (isRunnable[task]) {
                enqueue(task, true);
            }
        }
    }

    private void takeEffect() {
        for (int i = 0; i < startedCount; i++) {
            int task = Identity.task(decided[i]);
            if (enclave.sequence(task) == Identity.sequence(decided[i])) {
                starts(task, started[i]);
                ranByDecision[started[i]] = task;
                sinceNanos[started[i]] = committedNanos[started[i]];
            }
        }
        startedCount = 0;
    }

    // ---- decisions

    /** CPUs that are left with nothing to run come first, one after the other. */
    private int clear(Enclave same) {
        int tasks = waiting();
        int cleared = 0;
        for (int cpu = 0; cpu < running.length; cpu++) {
            if (running[cpu] == NONE && mayDecide(cpu) && --tasks < 0 && isLoaded[cpu]) {
                isLoaded[cpu] = false;
                cleared += stage(same, cpu, Transaction.TARGET_NULL);
                same.commit();
            }
        }
        return cleared;
    }

    private int schedule(Enclave same) {
        int staged = 0;
        for (int cpu = 0; cpu < running.length && waiting() > 0; cpu++) {
            if (running[cpu] == NONE && mayDecide(cpu)) {
                staged += run(same, cpu);
            }
        }
        long next = NEVER;
        for (int cpu = 0; cpu < running.length && waiting() > 0; cpu++) {
            if (mayDecide(cpu) && running[cpu] != NONE) {
                long due = dueNanos(cpu);
                if (due <= same.now()) {
                    staged += run(same, cpu);
                } else {
                    next = Math.min(next, due);
                }
            }
        }
        if (waiting() > 0 && next < armedNanos && same.armTimer(0, next, 0)) {
            armedNanos = next;
        }
        return staged;
    }

    /** When the CPU's task gives way: at once to one of a better class, after its quantum to one of its own. */
    private long dueNanos(int cpu) {
        boolean isLow = isBestEffort[running[cpu]];
        if (queue.size() == 0 && !isLow) {
            return NEVER;
        }
        return queue.size() > 0 && isLow ? 0 : sinceNanos[cpu] + quantumNanos;
    }

    private boolean mayDecide(int cpu) {
        return isAvailable[cpu] && !isOpen[cpu] && enclave.owns(cpu) && enclave.room(cpu) > 0;
    }

    /** Whether best effort may follow on best effort, also where jobs wait that may not use the CPU. */
    private boolean mayTakeTurns(int cpu, long now) {
        return isBestEffort[running[cpu]] && sinceNanos[cpu] + quantumNanos <= now;
    }

    private int run(Enclave same, int cpu) {
        int task = first(queue, cpu);
        if (task == NONE && (running[cpu] == NONE || mayTakeTurns(cpu, same.now()))) {
            task = first(bestEffort, cpu);
        }
        if (task == NONE) {
            return 0;
        }
        queue.remove(task);
        bestEffort.remove(task);
        place[task] = DECIDED;
        cpuOf[task] = cpu;
        return stage(same, cpu, task);
    }

    private int first(TaskQueue waiting, int cpu) {
        int task = waiting.peekFirst();
        while (task != NONE && !mayUse(task, cpu)) {
            task = waiting.after(task);
        }
        return task;
    }

    private boolean mayUse(int task, int cpu) {
        return ((cpu < 64 ? affinity[task] : enclave.affinity(task, cpu >>> 6)) >>> cpu & 1) != 0;
    }

    private int stage(Enclave same, int cpu, int target) {
        same.stage(same.open(cpu, target).commitFlags(Transaction.AT_COMMIT));
        isOpen[cpu] = true;
        committedNanos[cpu] = NEVER;
        return 1;
    }
}
