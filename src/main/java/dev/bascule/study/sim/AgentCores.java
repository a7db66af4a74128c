package dev.bascule.study.sim;

/**
 * The cores as the agents of one enclave see them: theirs alone, or shared with those of other enclaves ({@link CardCores}).
 * <p>
 * Thread rule: one thread. Allocates nothing once it runs.
 */
final class AgentCores {
    private final CardCores all;
    private final SimEvents events;
    private final int enclave;
    private final int agentsBefore;
    private final boolean[] queued;

    AgentCores(CardCores all, SimEvents events, int agents) {
        this.all = all;
        this.events = events;
        enclave = all.enclaves();
        agentsBefore = all.join(this, agents);
        queued = new boolean[agents];
    }

    /** The core that an agent runs on: the agents of all enclaves are dealt out one after the other. */
    int of(int agent) {
        return (agentsBefore + agent) % all.count();
    }

    boolean isQueued(int agent) {
        return queued[agent];
    }

    /** Whether nobody is on the core, and nobody has waited for it for longer. */
    boolean isFree(int core, long nowNanos) {
        return all.isFree(core, nowNanos);
    }

    /** Whether others wait for the core. */
    boolean isWanted(int core) {
        return all.isWanted(core);
    }

    /** The agent waits for its core behind who waits already. */
    void enqueue(int agent, long nowNanos) {
        if (!queued[agent]) {
            queued[agent] = true;
            all.enqueue(of(agent), enclave, agent, nowNanos);
        }
    }

    /** An agent of this enclave is in front of the queue and has the core then. */
    void comes(int core, long nanos) {
        events.coreAt(core, nanos);
    }

    /** The core's event has come: who is in front has the core. */
    int next(int core) {
        events.coreAt(core, SimEvents.NEVER);
        int agent = all.next(core);
        queued[agent] = false;
        return agent;
    }

    /** A round begins: nobody knows yet when the core will be free. */
    void take(int core) {
        all.take(core);
    }

    /** The agent on the core leaves it then; the one in front of the queue follows. */
    void release(int core, long nanos) {
        all.release(core, nanos);
    }

    /** Whoever is in front comes when the core is free. */
    void pass(int core, long nowNanos) {
        all.pass(core, nowNanos);
    }

    /** A round that has been simulated takes longer than was known. */
    void longer(int core, long nanos) {
        all.longer(core, nanos);
    }
}
