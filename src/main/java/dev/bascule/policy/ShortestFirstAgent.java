package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;

/**
 * Shortest job first, by the application's hints of expected run time; tasks without one come last, in order of
 * arrival. Of equals one that has begun comes first. A task keeps its CPU until it blocks, or, if asked for, until a
 * shorter one comes: that takes the CPU of the longest.
 */
public final class ShortestFirstAgent extends KeyedAgent {
    private static final long UNKNOWN = Long.MAX_VALUE >>> 2;

    private final boolean isPreemptive;
    private long[] expected = {};
    private boolean[] hasBegun = {};
    private int cpus;

    /** With preemption or without. */
    public ShortestFirstAgent(boolean isPreemptive) {
        this.isPreemptive = isPreemptive;
    }

    @Override
    protected void clear(EnclaveShape shape) {
        super.clear(shape);
        expected = new long[shape.tasks()];
        hasBegun = new boolean[shape.tasks()];
        cpus = shape.cpus();
    }

    @Override
    protected void observe(Message message) {
        MessageType type = message.type();
        if (type != null && type.code() < MessageType.CPU_TICK.code()) {
            long nanos = message.expectedNanos();
            expected[message.task()] = nanos == 0 ? UNKNOWN : nanos;
            hasBegun[message.task()] = type != MessageType.TASK_NEW && type != MessageType.TASK_WAKEUP;
        }
    }

    @Override
    long key(int task) {
        return 2 * expected[task] + (hasBegun[task] ? 0 : 1);
    }

    @Override
    protected boolean preempts(int task, int cpu) {
        int running = runningOn(cpu);
        return isPreemptive && running != NONE && expected[task] < expected[running];
    }

    @Override
    protected boolean mayPreempt(int cpu) {
        int next = first();
        if (next == NONE || !preempts(next, cpu)) {
            return false;
        }
        long longest = expected[runningOn(cpu)];
        for (int other = 0; other < cpus; other++) {
            int running = runningOn(other);
            if (running != NONE && expected[running] > longest && mayUse(next, other)) {
                return false;
            }
        }
        return true;
    }
}
