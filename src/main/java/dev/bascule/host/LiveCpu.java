package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One emulated CPU: a virtual thread that asks for decisions and gives itself to the decided task. Its numbers are
 * written by its own thread, its wait and its interrupt under its lock.
 */
final class LiveCpu implements Runnable {
    final int id;
    /** Guards what is this CPU's in the transport's end and the mechanism; see {@link LiveHost}. */
    final ReentrantLock lock = new ReentrantLock();
    private final LiveHost host;
    private final Thread thread;
    /** How long it has waited for a decision of the agent: since its last one, and since the host helped itself. */
    final DecisionWait wait = new DecisionWait();
    long sliceEndNanos;
    int emptyLooks;
    long busyNanos;
    long switches;
    private final @Nullable LiveTrace trace;
    private boolean kicked;

    LiveCpu(int id, LiveHost host, @Nullable LiveTrace trace) {
        this.id = id;
        this.host = host;
        this.trace = trace;
        thread = Thread.ofVirtual().name("cpu-" + id).unstarted(this);
    }

    /** A task starts; a slice of 0 is endless. */
    void startSlice(long sliceNanos, long now) {
        sliceEndNanos = sliceNanos == 0 ? Long.MAX_VALUE : now + sliceNanos;
        kicked = false;
    }

    /** A task has run. */
    void ran(int task, long from, long nanos, LiveTask.Leave leave) {
        busyNanos += nanos;
        switches++;
        if (trace != null) {
            trace.ran(id, task, from, nanos, leave == LiveTask.Leave.PREEMPTED);
        }
    }

    /** Whether an interrupt came since the task started: the decision it announces may still be on its way. */
    boolean isKicked(MechanismEnd end) {
        kicked |= end.isKicked(id);
        return kicked;
    }

    Thread thread() {
        return thread;
    }

    @Override
    public void run() {
        host.runCpu(this);
    }
}
