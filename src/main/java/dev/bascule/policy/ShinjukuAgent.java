package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;

/**
 * Shinjuku (NSDI'19): central queue, preemption after a quantum, preempted tasks go to the tail. With several classes,
 * each has a queue and a target latency, and the class whose first task has waited longest in terms of its target goes
 * first (the paper's multi-queue policy). Keeps short requests from waiting behind long ones.
 */
public final class ShinjukuAgent extends QueueAgent {
    private final long quantumNanos;
    private final long[] targetNanos;
    private TaskQueue[] queues = {};
    private int[] taskClass = {};
    private long[] since = {};

    /** One class, with a quantum in ns, at least 1. */
    public ShinjukuAgent(long quantumNanos) {
        this(quantumNanos, 1);
    }

    /** A class for each target latency, ns; tasks of further classes belong to the last. */
    public ShinjukuAgent(long quantumNanos, long... targetNanos) {
        if (quantumNanos < 1 || targetNanos.length < 1) {
            throw new IllegalArgumentException("shinjuku: quantum is " + quantumNanos + " ns with "
                    + targetNanos.length + " classes; both must be at least 1");
        }
        for (long target : targetNanos) {
            if (target < 1) {
                throw new IllegalArgumentException("shinjuku: target latency is " + target + " ns, must be at least 1");
            }
        }
        this.quantumNanos = quantumNanos;
        this.targetNanos = targetNanos.clone();
    }

    @Override
    protected void clear(EnclaveShape shape) {
        queues = new TaskQueue[targetNanos.length];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new TaskQueue(shape.tasks());
        }
        taskClass = new int[shape.tasks()];
        since = new long[shape.tasks()];
    }

    @Override
    protected void observe(Message message) {
        MessageType type = message.type();
        if (type != null && type.code() < MessageType.CPU_TICK.code()) {
            taskClass[message.task()] = Math.min(message.taskClass(), queues.length - 1);
        }
    }

    @Override
    protected void enqueue(int task) {
        since[task] = now();
        queues[taskClass[task]].addLast(task);
    }

    @Override
    protected void remove(int task) {
        queues[taskClass[task]].remove(task);
    }

    @Override
    protected int pick(int cpu) {
        TaskQueue best = queues[0];
        double longest = -1;
        for (int i = 0; i < queues.length; i++) {
            int first = queues[i].peekFirst();
            double waited = first == NONE ? -1 : (double) (now() - since[first]) / targetNanos[i];
            if (waited > longest) {
                longest = waited;
                best = queues[i];
            }
        }
        return takeFirst(best, cpu);
    }

    @Override
    protected long sliceNanos(int task) {
        return quantumNanos;
    }
}
