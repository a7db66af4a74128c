package dev.bascule.study.sim;

/** Signals of a transport's ends to the engine, so that it need not simulate looks that find nothing. */
interface SimSignals {
    /** No time. */
    long NOT = -1;

    /**
     * The agent whose turn it is accesses memory at that time: what everybody else does before happens first, so that the access
     * finds what it would find. A round is no single step.
     */
    void reach(long nanos);

    /** Something the agent waits for is on its way and arrives then. */
    void agentNews(int agent, long arrivalNanos);

    /**
     * A decision for the CPU can be seen from then on. At {@code lookedNanos} the agent looked whether the CPU sleeps, and
     * rang if so; {@link #NOT} if it did not look.
     */
    void decisionVisible(int cpu, long nanos, long lookedNanos);

    /** Whether the CPU polls its own flag, as a kernel's idle loop does: what is written there needs no interrupt. */
    boolean isPolling(int cpu);

    /** A preempting decision: an interrupt reaches the CPU then. */
    void kick(int cpu, long nanos);

    /** A sleeping CPU is woken: an interrupt reaches it then. */
    void ring(int cpu, long nanos);
}
