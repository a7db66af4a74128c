package dev.bascule.agent;

import java.util.Arrays;

/**
 * Table of the agents that decide about each task. A task is always some agent's that has a CPU which the task may use,
 * if there is one: nobody else's CPUs take it, nor does the host for them. It begins, and ends up when all CPUs are
 * there, where its number says, unless agents have moved it.
 * <p>
 * Thread rule: while no CPU decides.
 */
final class TaskPlacement {
    private final EnclaveShape shape;
    private final int[][] cpusOf;
    private final TaskTable table;
    private final CpuTable cpus;
    private final RunQueues runnable;
    private final EventSender events;

    TaskPlacement(EnclaveShape shape, TaskTable table, CpuTable cpus, RunQueues runnable, EventSender events) {
        this.shape = shape;
        cpusOf = new int[shape.agents()][];
        Arrays.setAll(cpusOf, shape::cpusOf);
        this.table = table;
        this.cpus = cpus;
        this.runnable = runnable;
        this.events = events;
    }

    /** A new task, which nobody knows yet, gets an agent. */
    void begin(int task) {
        table.agent[task] = from(task, home(task));
    }

    private int home(int task) {
        return task % shape.agents();
    }

    /** The task's affinity has changed: it stays where it is, if it can. */
    void stay(int task) {
        move(task, from(task, table.agent[task]));
    }

    /** A CPU has gone or come: tasks leave an agent that has none for them, and come back to their own with its first one. */
    void cpuChanged(int cpu) {
        int agent = shape.agentOf(cpu);
        if (shape.agents() == 1) {
            return;
        }
        for (int task = 0; task < table.size(); task++) {
            if (home(task) == agent && isFirst(cpu, agent, task)) {
                move(task, agent);
            } else if (!mayHave(table.agent[task], task)) {
                stay(task); // also one that nobody had a CPU for when its affinity changed
            }
        }
    }

    /** Whether the CPU is there and the only one of its agent that is and that the task may use. */
    private boolean isFirst(int cpu, int agent, int task) {
        if (!cpus.available[cpu] || !table.isAllowed(task, cpu)) {
            return false;
        }
        for (int other : cpusOf[agent]) {
            if (other != cpu && cpus.available[other] && table.isAllowed(task, other)) {
                return false;
            }
        }
        return true;
    }

    /** The first agent from {@code agent} on with a CPU for the task; if no CPU for it is there now, {@code agent}. */
    private int from(int task, int agent) {
        for (int i = 0; i < shape.agents(); i++) {
            int next = (agent + i) % shape.agents();
            if (mayHave(next, task)) {
                return next;
            }
        }
        return agent;
    }

    /** Whether the agent decides for a CPU that is there and that the task may use. */
    private boolean mayHave(int agent, int task) {
        for (int cpu : cpusOf[agent]) {
            if (cpus.available[cpu] && table.isAllowed(task, cpu)) {
                return true;
            }
        }
        return false;
    }

    /** Outcome of an agent's wish to give a task away, as {@link TaskTable#check} for one to run it. */
    Outcome check(Transaction decision) {
        if (!decision.areFlagsValid()) {
            return Outcome.INVALID_FLAGS;
        }
        boolean isAgent = decision.agent() >= 0 && decision.agent() < shape.agents();
        Outcome found = isAgent ? table.checkMove(decision) : Outcome.INVALID_TARGET;
        return found == Outcome.COMPLETE && !mayHave((int) decision.agent(), decision.task())
                ? Outcome.NOT_PERMITTED
                : found;
    }

    /** The task goes to the agent, if that can run it. */
    void give(int task, int agent) {
        if (mayHave(agent, task)) {
            move(task, agent);
        }
    }

    /** The task goes to the agent; one that is nobody's, or that agent's already, stays as it is. */
    void move(int task, int agent) {
        byte is = table.state(task);
        if (is == TaskTable.FREE || is == TaskTable.DEPARTED || agent == table.agent[task]) {
            return;
        }
        runnable.remove(task);
        events.tellMoved(task, agent);
        if (is == TaskTable.RUNNABLE) {
            runnable.moved(task);
        }
    }
}
