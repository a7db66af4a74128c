package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;

/** First in, first out, to completion: the smallest complete policy, which the tutorial starts with. */
public final class FifoAgent extends QueueAgent {
    private TaskQueue queue = new TaskQueue(0);

    @Override
    protected void clear(EnclaveShape shape) {
        queue = new TaskQueue(shape.tasks());
    }

    @Override
    protected void enqueue(int task) {
        queue.addLast(task);
    }

    @Override
    protected void remove(int task) {
        queue.remove(task);
    }

    @Override
    protected int pick(int cpu) {
        return takeFirst(queue, cpu);
    }
}
