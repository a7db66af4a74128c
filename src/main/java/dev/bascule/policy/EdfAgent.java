package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;

/**
 * Earliest deadline first, by the application's deadline hints; tasks without one come last, in order of arrival. A task
 * keeps its CPU until it blocks.
 */
public final class EdfAgent extends KeyedAgent {
    private long[] deadline = {};

    @Override
    protected void clear(EnclaveShape shape) {
        super.clear(shape);
        deadline = new long[shape.tasks()];
    }

    @Override
    protected void observe(Message message) {
        MessageType type = message.type();
        if (type != null && type.code() < MessageType.CPU_TICK.code()) {
            deadline[message.task()] = message.deadlineNanos();
        }
    }

    @Override
    long key(int task) {
        return deadline[task] == 0 ? Long.MAX_VALUE : deadline[task];
    }
}
