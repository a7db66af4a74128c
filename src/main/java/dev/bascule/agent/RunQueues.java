package dev.bascule.agent;

import java.util.Arrays;

/**
 * The runnable tasks of each agent, in the order in which they became so: what the host's own policy takes from. A task
 * that a CPU took alone leaves its queue when the whole host next looks at it.
 * <p>
 * Thread rule: {@link #add} and {@link #remove} under the lock for events; {@link #size} by any thread, and beside CPUs at
 * least as many as there are; the rest while no CPU decides.
 */
final class RunQueues {
    static final int NONE = TaskQueue.NONE;

    private final TaskTable table;
    private final TaskWaits waits;
    private final TaskQueue[] queues;
    private final int[] agentOf;

    RunQueues(EnclaveShape shape, TaskTable table, TaskWaits waits) {
        this.table = table;
        this.waits = waits;
        queues = new TaskQueue[shape.agents()];
        Arrays.setAll(queues, agent -> new TaskQueue(shape.tasks()));
        agentOf = new int[shape.cpus()];
        Arrays.setAll(agentOf, shape::agentOf);
    }

    /** The task waits from now on; one that a CPU took alone is still queued and gets its new place. */
    void add(int task) {
        waits.begin(task);
        addLast(task);
    }

    /** The task, which waits already, is another agent's from now on. */
    void moved(int task) {
        addLast(task);
    }

    private void addLast(int task) {
        TaskQueue queue = queues[table.agent[task]];
        queue.remove(task);
        queue.addLast(task);
    }

    void remove(int task) {
        queues[table.agent[task]].remove(task);
    }

    int size(int agent) {
        return queues[agent].size();
    }

    int size() {
        int all = 0;
        for (TaskQueue queue : queues) {
            all += queue.size();
        }
        return all;
    }

    /** The task that has waited for longest, whoever's it is. */
    int first() {
        int oldest = first(0);
        for (int agent = 1; agent < queues.length; agent++) {
            int task = first(agent);
            if (task != NONE && (oldest == NONE || waits.waitedNanos(task) > waits.waitedNanos(oldest))) {
                oldest = task;
            }
        }
        return oldest;
    }

    /** The agent's task that has waited for longest. */
    int first(int agent) {
        return waiting(queues[agent], queues[agent].peekFirst());
    }

    /** The one behind it. */
    private int next(int agent, int task) {
        return waiting(queues[agent], queues[agent].after(task));
    }

    private int waiting(TaskQueue queue, int task) {
        int next = task;
        while (next != NONE && table.state(next) != TaskTable.RUNNABLE) {
            int behind = queue.after(next);
            queue.remove(next);
            next = behind;
        }
        return next;
    }

    /** The task that has waited for longest among those that the CPU's agent has and that may use the CPU. */
    int firstFor(int cpu) {
        int agent = agentOf[cpu];
        int task = first(agent);
        while (task != NONE && !table.isAllowed(task, cpu)) {
            task = next(agent, task);
        }
        return task;
    }
}
