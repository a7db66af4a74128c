package dev.bascule.agent;

import java.util.function.LongSupplier;

/**
 * The part of the {@link Mechanism} in which tasks come, go and change. Each event changes the host's table first, then
 * the status word, then tells the agent.
 */
abstract sealed class TaskEvents permits Mechanism {
    private static final int NONE = TaskQueue.NONE;

    final MechanismEnd end;
    final LongSupplier clock;
    final TaskTable table;
    final TaskQueue runnable;
    final CpuTable cpus;
    final EventSender events;
    private int nextFree;

    TaskEvents(MechanismEnd end, LongSupplier clock) {
        this.end = end;
        this.clock = clock;
        table = new TaskTable(end.shape());
        runnable = new TaskQueue(end.shape().tasks());
        cpus = new CpuTable(end.shape().cpus());
        events = new EventSender(end, table, cpus);
    }

    /**
     * Brings a task into the enclave and sends TASK_NEW.
     *
     * @param affinity CPUs it may use, bit n for CPU n of the first 64; -1 for any; for others {@link #setAffinity}
     * @return its id, or {@link #NONE} if every status word is taken
     */
    public int create(boolean isRunnable, long affinity, int nice, int taskClass) {
        int task = findFree();
        if (task == NONE) {
            return NONE;
        }
        table.setAffinity(task, affinity);
        events.publishAffinity(task);
        table.nice[task] = (byte) nice;
        table.taskClass[task] = (byte) taskClass;
        table.runtimeNanos[task] = 0;
        table.deadlineNanos[task] = 0;
        events.associate(task, task % end.shape().agents());
        if (isRunnable) {
            queue(task);
        }
        events.tell(MessageType.TASK_NEW, task, isRunnable ? TaskTable.RUNNABLE : TaskTable.BLOCKED);
        return task;
    }

    private int findFree() {
        for (int i = 0; i < table.size(); i++) {
            int task = nextFree;
            nextFree = nextFree + 1 == table.size() ? 0 : nextFree + 1;
            if (table.state(task) == TaskTable.FREE) {
                return task;
            }
        }
        return NONE;
    }

    /** A blocked task became runnable. {@code deadlineNanos} is the application's hint, 0 for none. */
    public void wakeup(int task, long deadlineNanos) {
        expect(task, TaskTable.BLOCKED, "wake up");
        table.deadlineNanos[task] = deadlineNanos;
        queue(task);
        events.tell(MessageType.TASK_WAKEUP, task, TaskTable.RUNNABLE);
    }

    /** A task that a CPU took alone is still queued: it gets its new place. */
    private void queue(int task) {
        runnable.remove(task);
        runnable.addLast(task);
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
        start(next, table.cpu[task], clock.getAsLong());
        events.tell(MessageType.TASK_ON_CPU, next, TaskTable.ONCPU);
    }

    private void leaveCpu(int task, long ranNanos, byte to, MessageType type) {
        expect(task, TaskTable.ONCPU, type.name());
        table.runtimeNanos[task] += ranNanos;
        cpus.current[table.cpu[task]] = NONE;
        if (to == TaskTable.RUNNABLE) {
            queue(task);
        }
        events.tell(type, task, to);
    }

    /** A task that is not running was killed. */
    public void killed(int task) {
        if (table.state(task) == TaskTable.ONCPU || table.state(task) == TaskTable.FREE) {
            throw new IllegalStateException("kill task " + task + ": it is " + describe(task));
        }
        runnable.remove(task);
        events.tell(MessageType.TASK_DEAD, task, TaskTable.FREE);
    }

    /** A task that is not running leaves the enclave; {@link #release} frees its id. */
    public void departed(int task) {
        if (table.state(task) != TaskTable.RUNNABLE && table.state(task) != TaskTable.BLOCKED) {
            throw new IllegalStateException("depart task " + task + ": it is " + describe(task));
        }
        runnable.remove(task);
        events.tell(MessageType.TASK_DEPARTED, task, TaskTable.DEPARTED);
    }

    /** Frees the id of a task that {@link #departed}. */
    public void release(int task) {
        expect(task, TaskTable.DEPARTED, "release");
        table.set(task, TaskTable.FREE, Identity.next(table.sequence(task)));
        events.publish(task);
    }

    /** Changes the CPUs a task may use, of the first 64, or -1 for any; decisions made before this become stale. */
    public void setAffinity(int task, long mask) {
        table.setAffinity(task, mask);
        tellAffinity(task);
    }

    /** The same for any CPUs: bit n of word m stands for CPU 64 m + n. */
    public void setAffinity(int task, long[] mask) {
        table.setAffinity(task, mask);
        tellAffinity(task);
    }

    private void tellAffinity(int task) {
        events.publishAffinity(task);
        events.tell(MessageType.TASK_AFFINITY_CHANGED, task, table.state(task));
    }

    /** Changes a task's priority, -20 to 19. */
    public void setPriority(int task, int nice) {
        table.nice[task] = (byte) nice;
        events.tell(MessageType.TASK_PRIORITY_CHANGED, task, table.state(task));
    }

    /** Moves a task's future messages to another agent's channel. Earlier ones stay where they are. */
    public void associate(int task, int agent) {
        events.associate(task, agent);
    }

    /** The whole host is held, so the task leaves the queue at once. */
    final void start(int task, int cpu, long now) {
        runnable.remove(task);
        table.set(task, TaskTable.ONCPU, table.sequence(task));
        place(task, cpu, now);
    }

    final void place(int task, int cpu, long now) {
        table.cpu[task] = cpu;
        table.switchNanos[task] = now;
        cpus.current[cpu] = task;
    }

    private void expect(int task, byte state, String step) {
        if (table.state(task) != state) {
            throw new IllegalStateException(step + " task " + task + ": it is " + describe(task));
        }
    }

    private String describe(int task) {
        return switch (table.state(task)) {
            case TaskTable.BLOCKED -> "blocked";
            case TaskTable.RUNNABLE -> "runnable";
            case TaskTable.ONCPU -> "on CPU " + table.cpu[task];
            case TaskTable.DEPARTED -> "departed";
            default -> "not there";
        };
    }
}
