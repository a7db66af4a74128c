package dev.bascule.bench;

import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Mechanism;
import dev.bascule.policy.FifoAgent;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whole decisions, one after the other: a task gives up its CPU (event in), the FIFO agent on the other core reads it
 * and commits a decision, the host checks and enforces it: the task has the CPU again. No latency is injected.
 */
final class DecisionSides {
    private final Mechanism host;
    private final AgentLoop agent;
    private final int task;
    private final int pauses;
    private final AtomicLong decided = new AtomicLong();

    DecisionSides(Ends ends, int pauses) {
        this.host = new Mechanism(ends.host(), System::nanoTime, DecisionListener.NONE);
        this.agent = new AgentLoop(new FifoAgent(), ends.agent(), System::nanoTime);
        this.pauses = pauses;
        agent.turn();
        task = host.create(true, -1, 0, 0);
        while (host.decide(0) != task) {
            host.want(0);
            host.commit();
            agent.turn();
        }
    }

    /** The host's side: decisions {@code start + 1} to {@code start + count}. */
    long decide(long start, long count) {
        Mechanism mechanism = host;
        for (long n = 0; n < count; n++) {
            mechanism.yielded(task, 0);
            mechanism.want(0);
            mechanism.commit();
            while (mechanism.decide(0) != task) {
                pause();
            }
        }
        decided.setRelease(start + count);
        return start + count;
    }

    /** The agent's side, until the host has its decisions. */
    long serve(long start, long count) {
        AgentLoop loop = agent;
        while (decided.getAcquire() < start + count) {
            if (loop.turn() == 0) {
                pause();
            }
        }
        return start + count;
    }

    private void pause() {
        for (int i = 0; i < pauses; i++) {
            Thread.onSpinWait();
        }
    }
}
