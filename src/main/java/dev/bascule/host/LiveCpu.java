package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One emulated CPU: a virtual thread that asks for decisions and gives itself to the decided task. Its numbers are
 * written by its own thread, its wait and its interrupt under its lock.
 */
final class LiveCpu {
    final int id;
    /** Number of the agent that decides for it. */
    final int agent;
    /** Guards what is this CPU's in the transport's end and the mechanism; see {@link Dispatcher}. */
    final Lock lock;
    private final Thread thread;
    /** How long it has waited for a decision of the agent: since its last one, and since the host helped itself. */
    final DecisionWait wait;
    long sliceEndNanos;
    int emptyLooks;
    int rounds;
    long busyNanos;
    long switches;
    long preemptions;
    private final @Nullable LiveTrace trace;
    private boolean kicked;
    /** Taken or unplugged; written with all locks held. */
    volatile boolean isAway;

    /** A CPU whose thread, once started, runs the code. */
    LiveCpu(int id, int agent, Lock lock, long softNanos, Consumer<LiveCpu> code, @Nullable LiveTrace trace) {
        this.id = id;
        this.agent = agent;
        this.lock = lock;
        this.trace = trace;
        wait = new DecisionWait(softNanos);
        thread = Thread.ofVirtual().name("cpu-" + id).unstarted(() -> code.accept(this));
    }

    /** A task starts; a slice of 0 is endless. */
    void startSlice(long sliceNanos, long now) {
        sliceEndNanos = sliceNanos == 0 ? Long.MAX_VALUE : now + sliceNanos;
        kicked = false;
    }

    /** A task has run. */
    void ran(int task, long from, long nanos, boolean preempted) {
        busyNanos += nanos;
        switches++;
        preemptions += preempted ? 1 : 0;
        if (trace != null) {
            trace.ran(id, task, from, nanos, preempted);
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
}
