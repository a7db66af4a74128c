package dev.bascule.agent;

/**
 * The runnable tasks, in the order in which they became so. A task that a CPU took alone leaves the queue when the whole
 * host next looks at it.
 * <p>
 * Thread rule: as {@link Mechanism}; {@link #size} by any CPU, at least as many as there are.
 */
final class RunQueue {
    private static final int NONE = TaskQueue.NONE;

    private final TaskTable table;
    private final TaskQueue queue;
    private final TaskWaits waits;

    RunQueue(TaskTable table, TaskWaits waits) {
        this.table = table;
        this.waits = waits;
        queue = new TaskQueue(table.size());
    }

    /** A task that a CPU took alone is still queued: it gets its new place. */
    void add(int task) {
        waits.begin(task);
        queue.remove(task);
        queue.addLast(task);
    }

    void remove(int task) {
        queue.remove(task);
    }

    int size() {
        return queue.size();
    }

    /** The task that has been runnable for longest, or NONE. */
    int first() {
        return runnable(queue.peekFirst(), NONE);
    }

    /** The task that has been runnable for longest of those that may use the CPU, or NONE. */
    int firstFor(int cpu) {
        int task = first();
        while (task != NONE && !table.isAllowed(task, cpu)) {
            task = runnable(queue.after(task), task);
        }
        return task;
    }

    private int runnable(int from, int after) {
        int task = from;
        while (task != NONE && table.state(task) != TaskTable.RUNNABLE) {
            queue.remove(task);
            task = after == NONE ? queue.peekFirst() : queue.after(after);
        }
        return task;
    }
}
