package dev.bascule.agent;

import dev.bascule.ring.Clock;

/**
 * The host's side of an enclave: holds the authoritative state of tasks and CPUs, tells the agents what happened, and
 * enforces their decisions if these still hold. Time comes from a clock and all sharing goes through a {@link
 * MechanismEnd}, so the same object serves the live host, virtual time and tests.
 * <p>
 * Thread rule: one thread at a time, but for a host whose CPUs are threads. It has a lock a CPU, enough for {@link #want},
 * {@link #decideAlone}, {@link #mayPreemptAlone}, {@link #sliceNanos} and {@link #commit(int)}; and one for events, enough for
 * {@link #wakeup}, {@link #blocked}, {@link #yielded}, {@link #preempted} and {@link #exited}, by who holds the task, and
 * {@link #commitEvents}. For everything else it holds all of them. Allocates nothing after construction.
 * <p>
 * Errors: an event that the task's state does not allow is an {@link IllegalStateException}. Bad decisions are outcomes.
 */
public final class Mechanism {
    /** No task. */
    public static final int NONE = TaskQueue.NONE;
    /** {@link #decideAlone}: a decision is there that only {@link #decide} can settle. */
    public static final int HELD = Enforcer.HELD;

    private final MechanismEnd end;
    private final Clock clock;
    final TaskTable table;
    final RunQueues runnable;
    private final TaskWaits waits;
    private final CpuTable cpus;
    private final EventSender events;
    private final TaskPlacement homes;
    private final Enforcer enforcer;
    private final CpuStates states;
    private final CpuList touched;
    private int nextFree;
    private long localDecisions;

    /** A mechanism without tasks; every CPU is available. */
    public Mechanism(MechanismEnd end, Clock clock, DecisionListener listener) {
        this.end = end;
        this.clock = clock;
        EnclaveShape shape = end.shape();
        table = new TaskTable(shape);
        cpus = new CpuTable(shape);
        waits = new TaskWaits(shape, table, cpus);
        runnable = new RunQueues(shape, table, waits);
        events = new EventSender(end, table, cpus);
        homes = new TaskPlacement(shape, table, cpus, runnable, events);
        touched = new CpuList(shape.cpus());
        enforcer = new Enforcer(end, clock, table, runnable, cpus, touched, waits, listener, homes);
        states = new CpuStates(cpus, table, runnable, events, enforcer, homes);
        for (int task = 0; task < shape.tasks(); task++) {
            events.publish(task);
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            events.publishCpu(cpu);
        }
        // An agent may have attached as soon as there was a region, and read what a former host left or nobody wrote.
        for (int agent = 0; agent < shape.agents(); agent++) {
            end.requestResync(agent);
        }
    }

    // ---- tasks -------------------------------------------------------------------------------------------------

    // Each event changes the host's table first, then the status word, then tells the agent.

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
        table.begin(task, nice, taskClass);
        waits.reset(task);
        homes.begin(task);
        if (isRunnable) {
            runnable.add(task);
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
        wakeup(task, deadlineNanos, 0);
    }

    /** A wake-up with the CPU time that the task is expected to need until it blocks again, ns; 0: not known. */
    public void wakeup(int task, long deadlineNanos, long expectedNanos) {
        wakeup(task, table.nice[task], table.taskClass[task], deadlineNanos, expectedNanos);
    }

    /**
     * A wake-up of a task that carries something else than before, as a worker does from job to job: with the
     * application's hints about it (ghOSt's PrioTable).
     *
     * @param nice priority, -20 (first) to 19
     * @param taskClass class hint, 0 to 255
     * @param deadlineNanos deadline hint; 0: none
     * @param expectedNanos expected run time hint; 0: not known
     */
    public void wakeup(int task, int nice, int taskClass, long deadlineNanos, long expectedNanos) {
        table.expect(task, TaskTable.BLOCKED, "wake up");
        table.nice[task] = (byte) nice;
        table.taskClass[task] = (byte) taskClass;
        table.deadlineNanos[task] = deadlineNanos;
        table.expectedNanos[task] = Math.clamp(expectedNanos, 0, StatusWord.MOST_EXPECTED_NANOS);
        runnable.add(task);
        events.tell(MessageType.TASK_WAKEUP, task, TaskTable.RUNNABLE);
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
        table.expect(next, TaskTable.RUNNABLE, "switch to");
        leaveCpu(task, ranNanos, TaskTable.BLOCKED, MessageType.TASK_SWITCHTO);
        start(next, table.cpu[task], clock.nanoTime());
        events.tell(MessageType.TASK_ON_CPU, next, TaskTable.ONCPU);
    }

    private void leaveCpu(int task, long ranNanos, byte to, MessageType type) {
        table.expect(task, TaskTable.ONCPU, type.name());
        table.runtimeNanos[task] += ranNanos;
        cpus.current[table.cpu[task]] = NONE;
        if (to == TaskTable.RUNNABLE) {
            runnable.add(task);
        }
        events.tell(type, task, to);
    }

    /** A task that is not running was killed. */
    public void killed(int task) {
        if (table.state(task) == TaskTable.ONCPU || table.state(task) == TaskTable.FREE) {
            throw new IllegalStateException("kill task " + task + ": it is " + table.describe(task));
        }
        runnable.remove(task);
        events.tell(MessageType.TASK_DEAD, task, TaskTable.FREE);
    }

    /** A task that is not running leaves the enclave; {@link #release} frees its id. */
    public void departed(int task) {
        if (table.state(task) != TaskTable.RUNNABLE && table.state(task) != TaskTable.BLOCKED) {
            throw new IllegalStateException("depart task " + task + ": it is " + table.describe(task));
        }
        runnable.remove(task);
        events.tell(MessageType.TASK_DEPARTED, task, TaskTable.DEPARTED);
    }

    /** Frees the id of a task that {@link #departed}. */
    public void release(int task) {
        table.expect(task, TaskTable.DEPARTED, "release");
        table.set(task, TaskTable.FREE, Identity.next(table.sequence(task)));
        events.publish(task);
    }

    /**
     * Changes the CPUs a task may use, of the first 64, or -1 for any; decisions made before this become stale. A task that
     * runs goes on until the host takes it off ({@link #mustLeave}). If its agent has none of them, it goes to one that has.
     */
    public void setAffinity(int task, long mask) {
        table.setAffinity(task, mask);
        tellAffinity(task);
    }

    /** Affinity for any CPUs: bit n of word m stands for CPU 64 m + n. */
    public void setAffinity(int task, long[] mask) {
        table.setAffinity(task, mask);
        tellAffinity(task);
    }

    private void tellAffinity(int task) {
        events.publishAffinity(task);
        events.tell(MessageType.TASK_AFFINITY_CHANGED, task, table.state(task));
        states.affinityChanged(task);
        homes.stay(task);
    }

    /** Changes a task's priority, -20 to 19. */
    public void setPriority(int task, int nice) {
        table.nice[task] = (byte) nice;
        events.tell(MessageType.TASK_PRIORITY_CHANGED, task, table.state(task));
    }

    /**
     * Gives a task to another agent: the one that had it is told TASK_DEPARTED, the other TASK_NEW, and later messages go
     * there; earlier ones stay where they are, and what was decided before is stale. Nothing happens if that agent has no
     * CPU for the task. Agents ask for it by {@link Transaction#associate}.
     */
    public void associate(int task, int agent) {
        homes.give(task, agent);
    }

    /** The agent that decides about the task. */
    public int agentOf(int task) {
        return table.agent[task];
    }

    /** The whole host is held, so the task leaves the queue at once. */
    void start(int task, int cpu, long now) {
        runnable.remove(task);
        table.set(task, TaskTable.ONCPU, table.sequence(task));
        place(task, cpu, now);
        if (enforcer.leavesIdle(cpu)) {
            events.tellCpu(MessageType.CPU_NOT_IDLE, cpu);
        }
    }

    private void place(int task, int cpu, long now) {
        table.cpu[task] = cpu;
        table.switchNanos[task] = now;
        cpus.current[cpu] = task;
        cpus.starts[cpu]++;
        waits.end(task);
    }

    // ---- CPUs --------------------------------------------------------------------------------------------------

    // The task that runs there goes on until the host takes it off; one that is only promised to the CPU is given back.

    /** The CPU is given back: the enclave may use it again, unless it is offline. */
    public void cpuAvailable(int cpu) {
        states.set(cpu, false, cpus.offline[cpu]);
    }

    /** Something outside the enclave takes this CPU; decisions for it get CPU_UNAVAIL. */
    public void cpuBusy(int cpu) {
        states.set(cpu, true, cpus.offline[cpu]);
    }

    /** The CPU is unplugged; decisions for it get CPU_OFFLINE. Agents hear CPU_BUSY. */
    public void cpuOffline(int cpu) {
        states.set(cpu, cpus.taken[cpu], true);
    }

    /** The CPU is plugged in again. */
    public void cpuOnline(int cpu) {
        states.set(cpu, cpus.taken[cpu], false);
    }

    /** Whether the enclave may use the CPU: it is neither taken nor offline. */
    public boolean isAvailable(int cpu) {
        return cpus.available[cpu];
    }

    /** Whether the CPU is unplugged. */
    public boolean isOffline(int cpu) {
        return cpus.offline[cpu];
    }

    /** Whether the task may use any CPU that is not unplugged. */
    public boolean hasCpu(int task) {
        return states.hasCpu(task);
    }

    /** Whether the running task has to go: its CPU is taken or unplugged, or not one of its own any more. */
    public boolean mustLeave(int cpu) {
        return states.mustLeave(cpu);
    }

    /** A periodic tick. */
    public void tick(int cpu) {
        events.tellCpu(MessageType.CPU_TICK, cpu);
    }

    // ---- decisions ---------------------------------------------------------------------------------------------

    /**
     * Announces that the CPU will need a decision soon, so that the transport's latency overlaps with the work still to
     * do.
     */
    public void want(int cpu) {
        end.want(cpu);
    }

    /**
     * Takes the agent's next valid decision for a CPU that runs nothing. The returned task is on the CPU from now on.
     *
     * @return the task, or {@link #NONE}
     */
    public int decide(int cpu) {
        touched.add(cpu);
        int task = enforcer.decide(cpu);
        if (task != NONE) {
            start(task, cpu, enforcer.settledNanos(cpu));
            if ((enforcer.runFlags(cpu) & Transaction.RUN_SEND_ON_CPU) != 0) {
                events.tell(MessageType.TASK_ON_CPU, task, TaskTable.ONCPU);
            } else {
                events.publish(task);
            }
        }
        return task;
    }

    /**
     * A decision as far as one CPU can go without the others: takes a valid decision for a runnable task while other
     * CPUs do the same. Decisions that are refused, belong to a group or send a message are left to {@link #decide}.
     *
     * @return the task, {@link #NONE} if no decision is there, or {@link #HELD}
     */
    public int decideAlone(int cpu) {
        int task = enforcer.decideAlone(cpu);
        if (task >= 0) {
            place(task, cpu, enforcer.settledNanos(cpu));
            events.publishBy(cpu, task);
        }
        return task;
    }

    /** Whether {@link #isPreemptionWanted} could be true, as far as one CPU can tell without the others. */
    public boolean mayPreemptAlone(int cpu) {
        return enforcer.mayPreemptAlone(cpu);
    }

    /**
     * Whether the agent's next decision wants the running task off this CPU now. Worth asking when an interrupt came for
     * the CPU ({@link MechanismEnd#isKicked}).
     */
    public boolean isPreemptionWanted(int cpu) {
        touched.add(cpu);
        return enforcer.isPreemptionWanted(cpu);
    }

    /** Slice of the decision in force on the CPU, ns; 0: none. */
    public long sliceNanos(int cpu) {
        return enforcer.sliceNanos(cpu);
    }

    /** The built-in policy: the oldest runnable task of the CPU's agent that may use the CPU. The agent is told. */
    public int decideLocally(int cpu) {
        touched.add(cpu);
        end.abandon(cpu);
        int task = cpus.available[cpu] ? runnable.firstFor(cpu) : NONE;
        if (task != NONE) {
            localDecisions++;
            startHere(task, cpu);
        }
        return task;
    }

    /** A local run of a task that is on the idle CPU already, by what is below the host; false if it may not be. */
    public boolean runLocally(int cpu, int task) {
        if (cpus.current[cpu] != NONE || !mayHelp(cpu, task)) {
            return false;
        }
        end.abandon(cpu);
        localDecisions++;
        return startHere(task, cpu);
    }

    private boolean startHere(int task, int cpu) {
        touched.add(cpu);
        start(task, cpu, clock.nanoTime());
        enforcer.forget(cpu);
        events.tell(MessageType.TASK_ON_CPU, task, TaskTable.ONCPU);
        return true;
    }

    /** A runnable task that its CPU has never left goes on there, without a decision of anybody; false if it may not. */
    public boolean resume(int cpu, int task) {
        return table.state(task) == TaskTable.RUNNABLE && table.isAllowed(task, cpu) && cpus.current[cpu] == NONE
                && startHere(task, cpu);
    }

    /** {@link MechanismEnd#enterSleep}; true also if another CPU of a group has the decision, and nothing can wake this one. */
    public boolean enterSleep(int cpu) {
        return enforcer.holds(cpu) || end.enterSleep(cpu);
    }

    /** Voids everything the agent has decided or will decide; a new one attaches to the returned epoch. */
    public int fence(int agent) {
        enforcer.drop(agent);
        cpus.posted[agent] = 0;
        return end.openEpoch(agent);
    }

    /** Housekeeping of the transport, about every millisecond. */
    public void tickTransport() {
        end.tick();
    }

    /** Makes all messages and outcomes since the last call visible to the agents. */
    public void commit() {
        while (!touched.isEmpty()) {
            end.commit(touched.take());
        }
        end.commit();
    }

    /** Makes the outcomes of one CPU visible: the counterpart of {@link #decideAlone}. */
    public void commit(int cpu) {
        end.commit(cpu);
    }

    /** Makes messages visible: the counterpart of events under their own lock. */
    public void commitEvents() {
        end.commit();
    }

    // ---- questions ---------------------------------------------------------------------------------------------

    /** Tasks that are runnable and not on a CPU; beside other CPUs, at least as many. */
    public int runnableCount() {
        return runnable.size();
    }

    /** Runnable tasks of one agent. */
    public int runnableCount(int agent) {
        return runnable.size(agent);
    }

    /** Whether some runnable task of the CPU's agent may use the CPU. */
    public boolean hasWorkFor(int cpu) {
        return runnable.firstFor(cpu) != NONE;
    }

    /** Whether a CPU whose slice is over has something else to run: a task promised to it, or a runnable one. */
    public boolean isWorkWaiting(int cpu) {
        return enforcer.isTaken(cpu) || runnable.first(end.shape().agentOf(cpu)) != NONE;
    }

    /** Whether {@link #isWorkWaiting} could be true, as far as one CPU can tell without the others. */
    public boolean mayWorkWait(int cpu) {
        return enforcer.isTaken(cpu) || runnable.size(end.shape().agentOf(cpu)) > 0;
    }

    /** How long tasks wait for a CPU, and what was last decided about them. */
    public TaskWaits waits() {
        return waits;
    }

    /** Whether the host may take the CPU, for a task that starves, from what it runs. */
    public boolean mayHelp(int cpu, int task) {
        return table.state(task) == TaskTable.RUNNABLE && table.isAllowed(task, cpu) && cpus.available[cpu]
                && end.shape().agentOf(cpu) == table.agent[task]
                && (cpus.current[cpu] == NONE || (enforcer.runFlags(cpu) & Transaction.RUN_DO_NOT_PREEMPT) == 0);
    }

    /** The task on the CPU, or {@link #NONE}. */
    public int current(int cpu) {
        return cpus.current[cpu];
    }

    /** The task's sequence number. */
    public int sequence(int task) {
        return table.sequence(task);
    }

    /** Messages that found a full channel. */
    public long overflows() {
        return events.overflows();
    }

    /** Decisions that were already there when their CPU first looked. */
    public long prestageHits() {
        return enforcer.prestageHits();
    }

    /** Decisions of the built-in policy. */
    public long localDecisions() {
        return localDecisions;
    }
}
