package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;

/**
 * First in, first out with a time slice: a task that is preempted goes to the end of the queue. What Shinjuku
 * (NSDI'19) does with one request class; keeps short requests from waiting behind long ones.
 */
public final class RoundRobinAgent extends QueueAgent {
    private final long quantumNanos;
    private TaskQueue queue = new TaskQueue(0);

    /** With a quantum in ns, at least 1. */
    public RoundRobinAgent(long quantumNanos) {
        if (quantumNanos < 1) {
            throw new IllegalArgumentException("round robin: quantum is " + quantumNanos + " ns, must be at least 1");
        }
        this.quantumNanos = quantumNanos;
    }

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

    @Override
    protected long sliceNanos(int task) {
        return quantumNanos;
    }
}
