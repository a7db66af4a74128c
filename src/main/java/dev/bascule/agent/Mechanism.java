package dev.bascule.agent;

import java.util.function.LongSupplier;

/**
 * The host's side of an enclave: keeps the truth about tasks and CPUs, tells the agents what happened, and enforces
 * their decisions if these still hold. Time comes from a clock and all sharing goes through a {@link MechanismEnd}, so
 * the same object serves the live host, virtual time and tests.
 * <p>
 * Thread rule: one thread at a time; a host with several CPU threads guards it by one lock. Allocates nothing after
 * construction.
 * <p>
 * Errors: an event that the task's state does not allow is an {@link IllegalStateException} (a bug of the host, never
 * of the agent). Bad decisions are outcomes.
 */
public final class Mechanism {
    /** No task. */
    public static final int NONE = TaskQueue.NONE;

    private final MechanismEnd end;
    private final LongSupplier clock;
    private final TaskTable table;
    private final TaskQueue runnable;
    private final Message message = new Message();
    private final StatusWord word = new StatusWord();
    private final int[] agentOfTask;
    private final CpuTable cpus;
    private final Enforcer enforcer;
    private int nextFree;
    private long overflows;
    private long localDecisions;

    /** A mechanism without tasks; every CPU is available. */
    public Mechanism(MechanismEnd end, LongSupplier clock, DecisionListener listener) {
        this.end = end;
        this.clock = clock;
        EnclaveShape shape = end.shape();
        table = new TaskTable(shape.tasks());
        runnable = new TaskQueue(shape.tasks());
        agentOfTask = new int[shape.tasks()];
        cpus = new CpuTable(shape.cpus());
        enforcer = new Enforcer(end, table, cpus, listener);
        for (int task = 0; task < shape.tasks(); task++) {
            publish(task);
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            publishCpu(cpu);
        }
    }

    // ---- tasks -------------------------------------------------------------------------------------------------

    /**
     * Brings a task into the enclave and sends TASK_NEW.
     *
     * @param affinity CPUs it may use, bit n for CPU n (n modulo 64); -1 for any
     * @return its id, or {@link #NONE} if every status word is taken
     */
    public int create(boolean isRunnable, long affinity, int nice, int taskClass) {
        int task = findFree();
        if (task == NONE) {
            return NONE;
        }
        table.state[task] = isRunnable ? TaskTable.RUNNABLE : TaskTable.BLOCKED;
        table.affinity[task] = affinity;
        table.nice[task] = (byte) nice;
        table.taskClass[task] = (byte) taskClass;
        table.runtimeNanos[task] = 0;
        table.deadlineNanos[task] = 0;
        agentOfTask[task] = task % end.shape().agents();
        if (isRunnable) {
            runnable.addLast(task);
        }
        tell(MessageType.TASK_NEW, task);
        return task;
    }

    private int findFree() {
        for (int i = 0; i < table.size(); i++) {
            int task = nextFree;
            nextFree = nextFree + 1 == table.size() ? 0 : nextFree + 1;
            if (table.state[task] == TaskTable.FREE) {
                return task;
            }
        }
        return NONE;
    }

    /** A blocked task became runnable. {@code deadlineNanos} is the application's hint, 0 for none. */
    public void wakeup(int task, long deadlineNanos) {
        expect(task, TaskTable.BLOCKED, "wake up");
        table.state[task] = TaskTable.RUNNABLE;
        table.deadlineNanos[task] = deadlineNanos;
        runnable.addLast(task);
        tell(MessageType.TASK_WAKEUP, task);
    }

    /** The running task waits; its CPU is free. */
    public void blocked(int task, long ranNanos) {
        leaveCpu(task, ranNanos, TaskTable.BLOCKED, MessageType.TASK_BLOCKED);
    }

    /** The running task gave its CPU back and stays runnable. */
    public void yielded(int task, long ranNanos) {
        leaveCpu(task, ranNanos, TaskTable.RUNNABLE, MessageType.TASK_YIELD);
    }

    /** The running task was taken off its CPU and stays runnable. */
    public void preempted(int task, long ranNanos) {
        leaveCpu(task, ranNanos, TaskTable.RUNNABLE, MessageType.TASK_PREEMPT);
    }

    /** The running task is done; its id is free. */
    public void exited(int task, long ranNanos) {
        leaveCpu(task, ranNanos, TaskTable.FREE, MessageType.TASK_DEAD);
    }

    /** The running task hands its CPU to {@code next}, without asking the agent. */
    public void switchedTo(int task, long ranNanos, int next) {
        expect(next, TaskTable.RUNNABLE, "switch to");
        leaveCpu(task, ranNanos, TaskTable.BLOCKED, MessageType.TASK_SWITCHTO);
        start(next, table.cpu[task]);
        tell(MessageType.TASK_ON_CPU, next);
    }

    private void leaveCpu(int task, long ranNanos, byte to, MessageType type) {
        expect(task, TaskTable.ONCPU, type.name());
        table.state[task] = to;
        table.runtimeNanos[task] += ranNanos;
        cpus.current[table.cpu[task]] = NONE;
        if (to == TaskTable.RUNNABLE) {
            runnable.addLast(task);
        }
        tell(type, task);
    }

    /** A task that is not running was killed. */
    public void killed(int task) {
        if (table.state[task] == TaskTable.ONCPU || table.state[task] == TaskTable.FREE) {
            throw new IllegalStateException("kill task " + task + ": it is " + describe(task));
        }
        runnable.remove(task);
        table.state[task] = TaskTable.FREE;
        tell(MessageType.TASK_DEAD, task);
    }

    /** A task that is not running leaves the enclave; {@link #release} frees its id. */
    public void departed(int task) {
        if (table.state[task] != TaskTable.RUNNABLE && table.state[task] != TaskTable.BLOCKED) {
            throw new IllegalStateException("depart task " + task + ": it is " + describe(task));
        }
        runnable.remove(task);
        table.state[task] = TaskTable.DEPARTED;
        tell(MessageType.TASK_DEPARTED, task);
    }

    /** Frees the id of a task that {@link #departed}. */
    public void release(int task) {
        expect(task, TaskTable.DEPARTED, "release");
        table.state[task] = TaskTable.FREE;
        table.advance(task);
        publish(task);
    }

    /** Changes the CPUs a task may use; decisions made before this become stale. */
    public void setAffinity(int task, long mask) {
        table.affinity[task] = mask;
        tell(MessageType.TASK_AFFINITY_CHANGED, task);
    }

    /** Changes a task's priority, -20 to 19. */
    public void setPriority(int task, int nice) {
        table.nice[task] = (byte) nice;
        tell(MessageType.TASK_PRIORITY_CHANGED, task);
    }

    /** Moves a task's future messages to another agent's channel. Earlier ones stay where they are. */
    public void associate(int task, int agent) {
        agentOfTask[task] = agent;
    }

    // ---- CPUs --------------------------------------------------------------------------------------------------

    /** The enclave may use this CPU (again). */
    public void cpuAvailable(int cpu) {
        cpus.available[cpu] = true;
        tellCpu(MessageType.CPU_AVAILABLE, cpu);
    }

    /** Somebody outside takes this CPU; decisions for it get CPU_UNAVAIL. */
    public void cpuBusy(int cpu) {
        cpus.available[cpu] = false;
        tellCpu(MessageType.CPU_BUSY, cpu);
    }

    /** The CPU is gone for good; decisions for it get CPU_OFFLINE. */
    public void cpuOffline(int cpu) {
        cpus.offline[cpu] = true;
        cpuBusy(cpu);
    }

    /** A periodic tick. */
    public void tick(int cpu) {
        tellCpu(MessageType.CPU_TICK, cpu);
    }

    // ---- decisions ---------------------------------------------------------------------------------------------

    /** The CPU will need a decision soon; overlaps the transport's latency with the work still to do. */
    public void want(int cpu) {
        end.want(cpu);
    }

    /**
     * Takes the agent's next valid decision for a CPU that runs nothing. The returned task is on the CPU from now on.
     *
     * @return the task, or {@link #NONE}
     */
    public int decide(int cpu) {
        int task = enforcer.decide(cpu, clock.getAsLong());
        if (task != NONE) {
            runnable.remove(task);
            start(task, cpu);
            if ((enforcer.runFlags(cpu) & Transaction.RUN_SEND_ON_CPU) != 0) {
                tell(MessageType.TASK_ON_CPU, task);
            } else {
                publish(task);
            }
        }
        return task;
    }

    /** Whether the agent wants the running task off this CPU now. For yield points: one load if no interrupt came. */
    public boolean isPreemptionWanted(int cpu) {
        return end.isKicked(cpu) && enforcer.isPreemptionWanted(cpu, clock.getAsLong());
    }

    /** Slice of the decision in force on the CPU, ns; 0: none. */
    public long sliceNanos(int cpu) {
        return enforcer.sliceNanos(cpu);
    }

    /** The built-in policy: the oldest runnable task that may use the CPU. The agent is told. */
    public int decideLocally(int cpu) {
        end.abandon(cpu);
        for (int task = runnable.peekFirst(); task != NONE; task = runnable.after(task)) {
            if (table.isAllowed(task, cpu)) {
                runnable.remove(task);
                start(task, cpu);
                enforcer.forget(cpu);
                localDecisions++;
                tell(MessageType.TASK_ON_CPU, task);
                return task;
            }
        }
        return NONE;
    }

    /** Voids everything the current agents have decided or will decide; new agents attach to the returned epoch. */
    public int fence() {
        enforcer.drop();
        java.util.Arrays.fill(cpus.posted, 0);
        return end.openEpoch();
    }

    /** Housekeeping of the transport, about every millisecond. */
    public void tickTransport() {
        end.tick();
    }

    /** Makes all messages and outcomes since the last call visible to the agents. */
    public void commit() {
        end.commit();
    }

    // ---- questions ---------------------------------------------------------------------------------------------

    /** Tasks that are runnable and not on a CPU. */
    public int runnableCount() {
        return runnable.size();
    }

    /** Whether some runnable task may use the CPU. */
    public boolean hasWorkFor(int cpu) {
        for (int task = runnable.peekFirst(); task != NONE; task = runnable.after(task)) {
            if (table.isAllowed(task, cpu)) {
                return true;
            }
        }
        return false;
    }

    /** The task on the CPU, or {@link #NONE}. */
    public int current(int cpu) {
        return cpus.current[cpu];
    }

    /** The task's sequence number. */
    public int sequence(int task) {
        return table.sequence[task];
    }

    /** Messages that found a full channel. */
    public long overflows() {
        return overflows;
    }

    /** Decisions that were already there when their CPU first looked. */
    public long prestageHits() {
        return enforcer.prestageHits();
    }

    /** Decisions of the built-in policy. */
    public long localDecisions() {
        return localDecisions;
    }

    // ---- inside ------------------------------------------------------------------------------------------------

    private void start(int task, int cpu) {
        runnable.remove(task);
        table.state[task] = TaskTable.ONCPU;
        table.cpu[task] = cpu;
        table.switchNanos[task] = clock.getAsLong();
        cpus.current[cpu] = task;
    }

    private void tell(MessageType type, int task) {
        table.advance(task);
        publish(task);
        message.set(type, end.epoch(), table.sequence[task], task)
                .flags(flags(task)).cpu(table.cpu[task])
                .priority(table.nice[task], table.taskClass[task])
                .runtimeNanos(table.runtimeNanos[task]).affinity(table.affinity[task])
                .deadlineNanos(table.deadlineNanos[task]).postedNanos(clock.getAsLong());
        post(agentOfTask[task]);
    }

    private int flags(int task) {
        byte is = table.state[task];
        return is == TaskTable.RUNNABLE ? Message.RUNNABLE : is == TaskTable.ONCPU ? Message.ONCPU : 0;
    }

    private void tellCpu(MessageType type, int cpu) {
        publishCpu(cpu);
        message.set(type, end.epoch(), 0, 0).cpu(cpu).postedNanos(clock.getAsLong());
        post(end.shape().agentOf(cpu));
    }

    private void post(int agent) {
        if (end.post(agent, message)) {
            cpus.posted[agent]++;
        } else {
            overflows++;
            end.requestResync();
        }
    }

    private void publish(int task) {
        table.copyTo(task, word);
        end.status().write(word);
    }

    private void publishCpu(int cpu) {
        word.clear();
        word.task = end.shape().tasks() + cpu;
        word.cpu = cpu;
        word.flags = cpus.available[cpu] ? StatusWord.CPU_AVAIL : 0;
        end.status().write(word);
    }

    private void expect(int task, byte state, String step) {
        if (table.state[task] != state) {
            throw new IllegalStateException(step + " task " + task + ": it is " + describe(task));
        }
    }

    private String describe(int task) {
        return switch (table.state[task]) {
            case TaskTable.BLOCKED -> "blocked";
            case TaskTable.RUNNABLE -> "runnable";
            case TaskTable.ONCPU -> "on CPU " + table.cpu[task];
            case TaskTable.DEPARTED -> "departed";
            default -> "not there";
        };
    }
}
