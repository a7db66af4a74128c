package dev.bascule.host.sim;

/**
 * The cores that agents run on: from when each is free, and which agents wait for it, first come, first served. A round runs to
 * its end; the next on the core is who waits longest. The agent in front of a queue has the core's event, and no other.
 * <p>
 * Thread rule: one thread. Allocates nothing once it runs.
 */
final class AgentCores {
    private final SimEvents events;
    private final long[] freeNanos;
    private final LongRing[] queues;
    private final boolean[] queued;

    AgentCores(SimEvents events, int agents, int cores) {
        this.events = events;
        freeNanos = new long[cores];
        queued = new boolean[agents];
        queues = new LongRing[cores];
        for (int core = 0; core < cores; core++) {
            queues[core] = new LongRing(agents);
        }
    }

    /** The core that an agent runs on. */
    int of(int agent) {
        return agent % freeNanos.length;
    }

    boolean isQueued(int agent) {
        return queued[agent];
    }

    /** Whether nobody is on the core, and nobody has waited for it for longer. */
    boolean isFree(int core, long nowNanos) {
        return freeNanos[core] <= nowNanos && queues[core].isEmpty();
    }

    /** Whether others wait for the core. */
    boolean isWanted(int core) {
        return !queues[core].isEmpty();
    }

    /** The agent waits for its core behind who waits already. */
    void enqueue(int agent, long nowNanos) {
        if (!queued[agent]) {
            queued[agent] = true;
            int core = of(agent);
            queues[core].add(agent);
            pass(core, nowNanos);
        }
    }

    /** The core's event has come: who is in front has the core. */
    int next(int core) {
        events.coreAt(core, SimEvents.NEVER);
        int agent = (int) queues[core].poll();
        queued[agent] = false;
        return agent;
    }

    /** A round begins: nobody knows yet when the core will be free. */
    void take(int core) {
        freeNanos[core] = SimEvents.NEVER;
    }

    /** Who was on the core is gone from it then; who is in front of the queue follows. */
    void release(int core, long nanos) {
        freeNanos[core] = nanos;
        pass(core, nanos);
    }

    /** Whoever is in front comes when the core is free. */
    void pass(int core, long nowNanos) {
        if (!queues[core].isEmpty()) {
            events.coreAt(core, Math.max(freeNanos[core], nowNanos));
        }
    }

    /** A round that has been simulated takes longer than was known. */
    void longer(int core, long nanos) {
        if (freeNanos[core] != SimEvents.NEVER) {
            freeNanos[core] += nanos;
            pass(core, freeNanos[core]);
        }
    }
}
