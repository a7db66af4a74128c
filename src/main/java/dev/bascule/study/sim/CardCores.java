package dev.bascule.study.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The cores that the agents of all enclaves of a host run on: from when each is free, and which agents wait for it, first come,
 * first served. A round runs to its end; the next on the core is who waits longest. Whoever is in front of a queue has the
 * core's event, and nobody else.
 * <p>
 * Thread rule: one thread. Allocates nothing once it runs.
 */
final class CardCores {
    private static final int AGENT_BITS = 32;

    private final long[] freeNanos;
    private final LongRing[] queues;
    private final List<AgentCores> enclaves = new ArrayList<>();
    private int agents;
    private IntConsumer rescheduled = _ -> {
        // an enclave alone looks at its own events only
    };

    CardCores(int cores) {
        freeNanos = new long[cores];
        queues = new LongRing[cores];
        Arrays.setAll(queues, _ -> new LongRing(64));
    }

    int count() {
        return freeNanos.length;
    }

    /** Another enclave comes, with so many agents; returns how many agents were there before. */
    int join(AgentCores enclave, int newAgents) {
        int before = agents;
        enclaves.add(enclave);
        agents += newAgents;
        return before;
    }

    int enclaves() {
        return enclaves.size();
    }

    /** Hears of each enclave whose events have changed because of another one's. */
    void onRescheduled(IntConsumer listener) {
        rescheduled = listener;
    }

    /** An enclave is over: its agents wait no more. */
    void leave(int enclave) {
        for (int core = 0; core < queues.length; core++) {
            for (int left = queues[core].size(); left > 0; left--) {
                long who = queues[core].poll();
                if (who >>> AGENT_BITS != enclave) {
                    queues[core].add(who);
                }
            }
            pass(core, 0);
        }
    }

    boolean isFree(int core, long nowNanos) {
        return freeNanos[core] <= nowNanos && queues[core].isEmpty();
    }

    boolean isWanted(int core) {
        return !queues[core].isEmpty();
    }

    void enqueue(int core, int enclave, int agent, long nowNanos) {
        queues[core].add((long) enclave << AGENT_BITS | agent);
        pass(core, nowNanos);
    }

    /** The agent in front, which is gone from the queue. */
    int next(int core) {
        return (int) queues[core].poll();
    }

    void take(int core) {
        freeNanos[core] = SimEvents.NEVER;
    }

    void release(int core, long nanos) {
        freeNanos[core] = nanos;
        pass(core, nanos);
    }

    void pass(int core, long nowNanos) {
        if (!queues[core].isEmpty()) {
            int enclave = (int) (queues[core].peek() >>> AGENT_BITS);
            enclaves.get(enclave).comes(core, Math.max(freeNanos[core], nowNanos));
            rescheduled.accept(enclave);
        }
    }

    void longer(int core, long nanos) {
        if (freeNanos[core] != SimEvents.NEVER) {
            freeNanos[core] += nanos;
            pass(core, freeNanos[core]);
        }
    }
}
