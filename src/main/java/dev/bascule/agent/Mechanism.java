package dev.bascule.agent;

import java.util.function.LongSupplier;

/**
 * The host's side of an enclave: keeps the truth about tasks and CPUs, tells the agents what happened, and enforces
 * their decisions if these still hold. Time comes from a clock and all sharing goes through a {@link MechanismEnd}, so
 * the same object serves the live host, virtual time and tests.
 * <p>
 * Thread rule: one thread at a time, but for a host whose CPUs are threads. That one has a lock a CPU and a lock for the
 * tasks' events. A CPU's lock is enough for {@link #want}, {@link #decideAlone}, {@link #mayPreemptAlone},
 * {@link #sliceNanos} and {@link #commit(int)}; the lock for events for {@link #wakeup}, {@link #blocked},
 * {@link #yielded}, {@link #preempted} and {@link #exited}, by who holds the task, and {@link #commitEvents}. For
 * everything else it holds all of them. Allocates nothing after construction.
 * <p>
 * Errors: an event that the task's state does not allow is an {@link IllegalStateException} (a bug of the host, never
 * of the agent). Bad decisions are outcomes.
 */
public final class Mechanism extends TaskEvents {
    /** No task. */
    public static final int NONE = TaskQueue.NONE;
    /** {@link #decideAlone}: a decision is there that takes the whole host to settle. */
    public static final int HELD = Enforcer.HELD;

    private final Enforcer enforcer;
    private final CpuList touched;
    private long localDecisions;

    /** A mechanism without tasks; every CPU is available. */
    public Mechanism(MechanismEnd end, LongSupplier clock, DecisionListener listener) {
        super(end, clock);
        EnclaveShape shape = end.shape();
        touched = new CpuList(shape.cpus());
        enforcer = new Enforcer(end, clock, table, runnable, cpus, touched, listener);
        for (int task = 0; task < shape.tasks(); task++) {
            events.publish(task);
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            events.publishCpu(cpu);
        }
        // An agent may have attached as soon as there was a region, and read what a former host left or nobody wrote.
        end.requestResync();
    }

    // ---- CPUs --------------------------------------------------------------------------------------------------

    /** The enclave may use this CPU (again). */
    public void cpuAvailable(int cpu) {
        cpus.available[cpu] = true;
        events.tellCpu(MessageType.CPU_AVAILABLE, cpu);
    }

    /** Somebody outside takes this CPU; decisions for it get CPU_UNAVAIL. */
    public void cpuBusy(int cpu) {
        cpus.available[cpu] = false;
        events.tellCpu(MessageType.CPU_BUSY, cpu);
    }

    /** The CPU is gone for good; decisions for it get CPU_OFFLINE. */
    public void cpuOffline(int cpu) {
        cpus.offline[cpu] = true;
        cpuBusy(cpu);
    }

    /** A periodic tick. */
    public void tick(int cpu) {
        events.tellCpu(MessageType.CPU_TICK, cpu);
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
     * The same as far as one CPU can tell without the others: takes a decision for a runnable task that holds, beside
     * whatever happens on other CPUs. What is refused, belongs to a group or sends a message is left to {@link #decide}.
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

    /** The built-in policy: the oldest runnable task that may use the CPU. The agent is told. */
    public int decideLocally(int cpu) {
        touched.add(cpu);
        end.abandon(cpu);
        for (int task = firstRunnable(); task != NONE; task = nextRunnable(task)) {
            if (table.isAllowed(task, cpu)) {
                start(task, cpu, clock.getAsLong());
                enforcer.forget(cpu);
                localDecisions++;
                events.tell(MessageType.TASK_ON_CPU, task, TaskTable.ONCPU);
                return task;
            }
        }
        return NONE;
    }

    /**
     * {@link MechanismEnd#enterSleep}, but for a CPU whose decision another one has already taken over: both members of
     * a group are taken by whoever looks first, and the transport has nothing left to wake the other.
     *
     * @return whether there is a reason to ask for a decision instead of sleeping
     */
    public boolean enterSleep(int cpu) {
        return enforcer.holds(cpu) || end.enterSleep(cpu);
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

    /** Tasks that a CPU took alone leave the queue when the whole host next looks at it. */
    private int firstRunnable() {
        int task = runnable.peekFirst();
        while (task != NONE && table.state(task) != TaskTable.RUNNABLE) {
            runnable.remove(task);
            task = runnable.peekFirst();
        }
        return task;
    }

    private int nextRunnable(int after) {
        int task = runnable.after(after);
        while (task != NONE && table.state(task) != TaskTable.RUNNABLE) {
            runnable.remove(task);
            task = runnable.after(after);
        }
        return task;
    }

    /** Whether some runnable task may use the CPU. */
    public boolean hasWorkFor(int cpu) {
        for (int task = firstRunnable(); task != NONE; task = nextRunnable(task)) {
            if (table.isAllowed(task, cpu)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a CPU whose slice is over has something else to run: a task promised to it, or a runnable one. */
    public boolean isWorkWaiting(int cpu) {
        return enforcer.isTaken(cpu) || firstRunnable() != NONE;
    }

    /** Whether {@link #isWorkWaiting} could be true, as far as one CPU can tell without the others. */
    public boolean mayWorkWait(int cpu) {
        return enforcer.isTaken(cpu) || runnable.size() > 0;
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
