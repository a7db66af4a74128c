package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;

/**
 * Shinjuku beside batch work (ghOSt's "Shenango mode"): tasks of the best-effort class get CPUs that no other task
 * wants, and lose them at once when a request comes and no other CPU is free.
 */
public final class ShinjukuBestEffortAgent extends QueueAgent {
    private final long quantumNanos;
    private final int bestEffortClass;
    private TaskQueue requests = new TaskQueue(0);
    private TaskQueue batch = new TaskQueue(0);
    private boolean[] isBatch = {};
    private int cpus;

    /** With a quantum in ns, at least 1, and the class whose tasks are best effort. */
    public ShinjukuBestEffortAgent(long quantumNanos, int bestEffortClass) {
        if (quantumNanos < 1) {
            throw new IllegalArgumentException("shinjuku: quantum is " + quantumNanos + " ns, must be at least 1");
        }
        this.quantumNanos = quantumNanos;
        this.bestEffortClass = bestEffortClass;
    }

    @Override
    protected void clear(EnclaveShape shape) {
        requests = new TaskQueue(shape.tasks());
        batch = new TaskQueue(shape.tasks());
        isBatch = new boolean[shape.tasks()];
        cpus = shape.cpus();
    }

    @Override
    protected void observe(Message message) {
        MessageType type = message.type();
        if (type != null && type.code() < MessageType.CPU_TICK.code()) {
            isBatch[message.task()] = message.taskClass() == bestEffortClass;
        }
    }

    @Override
    protected void enqueue(int task) {
        (isBatch[task] ? batch : requests).addLast(task);
    }

    @Override
    protected void remove(int task) {
        (isBatch[task] ? batch : requests).remove(task);
    }

    @Override
    protected int pick(int cpu) {
        boolean idle = runningOn(cpu) == NONE;
        if (!idle && !runsBatch(cpu) && anyRunsBatch()) {
            return NONE; // better take a CPU away from the batch work than wait behind a request
        }
        int task = takeFirst(requests, cpu);
        return task == NONE && idle ? takeFirst(batch, cpu) : task;
    }

    private boolean runsBatch(int cpu) {
        int task = runningOn(cpu);
        return task != NONE && isBatch[task];
    }

    private boolean anyRunsBatch() {
        for (int cpu = 0; cpu < cpus; cpu++) {
            if (runsBatch(cpu) && roomOn(cpu) > 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    protected boolean mayPreempt(int cpu) {
        return runsBatch(cpu);
    }

    @Override
    protected boolean preempts(int task, int cpu) {
        return !isBatch[task] && runsBatch(cpu);
    }

    @Override
    protected long sliceNanos(int task) {
        return isBatch[task] ? 0 : quantumNanos;
    }
}
