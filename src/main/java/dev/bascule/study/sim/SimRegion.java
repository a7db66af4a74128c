package dev.bascule.study.sim;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.MechanismEnd;

/**
 * One transport's memory in the simulation, with both of its ends. The ends are the live ones; what differs is below
 * them (windows that cost time) and around them (what an agent's or a kernel's own work costs).
 */
abstract class SimRegion implements AutoCloseable {
    final BusCounters bus;

    SimRegion(SimCosts costs) {
        bus = new BusCounters(costs);
    }

    /** The host's end. */
    abstract MechanismEnd host();

    /** A new agent's end on the current epoch. */
    abstract AgentEnd attach(int agent);

    /** Setting up is over: from now on, everything takes its time. */
    abstract void begin();

    /** The host has fenced its agents. */
    void fenced() {}

    /** Time between two looks of an idle CPU, ns, at least 1. */
    abstract long pollNanos();

    /** From the start of a look to the moment whose memory it sees. */
    abstract long sampleNanos();

    /** When a look of the CPU that may start at {@code nanos} is best simulated. */
    abstract long lookAt(int cpu, long nanos);

    /**
     * The CPU is about to look: at its prefetched line, or by a read that has been under way for half its time.
     *
     * @return the moment whose memory it will see
     */
    abstract long look(int cpu);

    /** When the CPU's prefetch must be {@linkplain #sample sampled}; {@link EventTree#NEVER} if none began. */
    abstract long sampleDue(int cpu);

    /** Half of the CPU's prefetch is over. */
    abstract void sample(int cpu);

    /** When the agent can see that the CPU sleeps, as it said last; {@link EventTree#NEVER} if it said the contrary last. */
    abstract long sleepKnownNanos(int cpu);

    /** The CPU's agent, whose turn it is, wakes the CPU by an interrupt. */
    abstract void ring(int cpu);

    /** Receiving an interrupt that an agent has sent, ns. */
    abstract long receiveNanos();

    /** The socket that the agent acts on. */
    int socketOfAgent(int agent) {
        return 0;
    }

    /** Whether nothing has reached the agent's memory since this was last asked that it may not have seen: its look finds nothing. */
    abstract boolean isQuiet(int agent, long nowNanos);

    /** When the next thing that the agent has not seen yet reaches it; {@link EventTree#NEVER} if nothing is under way. */
    abstract long nextArrival(int agent);

    @Override
    public void close() {
        // memory goes with the object
    }
}
