package dev.bascule.agent;

/**
 * CPUs that come and go: taken by something outside of the enclave, or unplugged. The task that runs on one goes on until
 * the host takes it off; one that is only promised to it is given back.
 * <p>
 * Thread rule: while no CPU decides.
 */
final class CpuStates {
    private static final int NONE = TaskQueue.NONE;

    private final CpuTable cpus;
    private final TaskTable table;
    private final RunQueues runnable;
    private final EventSender events;
    private final Enforcer enforcer;
    private final TaskPlacement homes;

    CpuStates(CpuTable cpus, TaskTable table, RunQueues runnable, EventSender events, Enforcer enforcer,
            TaskPlacement homes) {
        this.cpus = cpus;
        this.table = table;
        this.runnable = runnable;
        this.events = events;
        this.enforcer = enforcer;
        this.homes = homes;
    }

    /** Agents are told only of what makes a difference to them. */
    void set(int cpu, boolean isTaken, boolean isOffline) {
        boolean before = cpus.available[cpu];
        cpus.taken[cpu] = isTaken;
        cpus.offline[cpu] = isOffline;
        cpus.available[cpu] = !isTaken && !isOffline;
        if (before == cpus.available[cpu]) {
            return;
        }
        events.tellCpu(before ? MessageType.CPU_BUSY : MessageType.CPU_AVAILABLE, cpu);
        if (before) {
            takeBackPromise(cpu);
        }
        homes.cpuChanged(cpu);
    }

    /** The task's CPUs were changed. */
    void affinityChanged(int task) {
        int cpu = table.cpu[task];
        boolean isPromised = table.state(task) == TaskTable.ONCPU && cpus.current[cpu] != task;
        if (isPromised && !table.isAllowed(task, cpu)) {
            takeBackPromise(cpu);
        }
    }

    /** ghOSt's TASK_PREEMPT of a task that was latched. */
    private void takeBackPromise(int cpu) {
        int task = enforcer.takeBack(cpu);
        if (task != NONE) {
            runnable.add(task);
            events.tell(MessageType.TASK_PREEMPT, task, TaskTable.RUNNABLE);
        }
    }

    boolean hasCpu(int task) {
        for (int cpu = 0; cpu < cpus.offline.length; cpu++) {
            if (!cpus.offline[cpu] && table.isAllowed(task, cpu)) {
                return true;
            }
        }
        return false;
    }

    boolean mustLeave(int cpu) {
        int task = cpus.current[cpu];
        return task != NONE && (!cpus.available[cpu] || !table.isAllowed(task, cpu));
    }
}
