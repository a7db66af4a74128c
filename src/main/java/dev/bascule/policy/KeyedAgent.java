package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;

/** Base of policies that run the task with the smallest key first. */
abstract class KeyedAgent extends QueueAgent {
    private TaskHeap queue = new TaskHeap(0);

    /** The task's key, asked for when it is queued. */
    abstract long key(int task);

    /** The queued task with the smallest key, or {@link #NONE}. */
    final int first() {
        return queue.first();
    }

    /** A task was taken out to run. */
    void picked(int task) {}

    @Override
    protected void clear(EnclaveShape shape) {
        queue = new TaskHeap(shape.tasks());
    }

    @Override
    protected final void enqueue(int task) {
        queue.add(task, key(task));
    }

    @Override
    protected final void remove(int task) {
        queue.remove(task);
    }

    @Override
    protected final int pick(int cpu) {
        int task = queue.first();
        if (task != NONE && !mayUse(task, cpu)) {
            task = firstAllowed(cpu);
        }
        if (task != NONE) {
            queue.remove(task);
            picked(task);
        }
        return task;
    }

    private int firstAllowed(int cpu) {
        int best = NONE;
        for (int i = 0; i < queue.size(); i++) {
            int task = queue.at(i);
            if (mayUse(task, cpu) && (best == NONE || queue.key(task) < queue.key(best))) {
                best = task;
            }
        }
        return best;
    }
}
