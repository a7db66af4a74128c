package @PACKAGE@;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;

/**
 * A scheduling policy: first in, first out, with a time slice. Change {@link #enqueue}, {@link #pick} and
 * {@link #sliceNanos}; lost messages, stale decisions and crashes are the framework's business.
 */
public final class @POLICY@ extends QueueAgent {
    private static final long SLICE_NANOS = 50_000;

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

    @Override
    protected long sliceNanos(int task) {
        return SLICE_NANOS;
    }
}
