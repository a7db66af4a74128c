package dev.bascule.study.sim;

import dev.bascule.agent.EnclaveShape;

/** A transport between the simulated host and its agents. {@link SimTransports} has them all. */
public interface SimTransport {
    /** Name as in {@code --transport}. */
    String name();

    /** Whether the agent runs on the NIC: decides which of a profile's agent costs hold. */
    boolean onNic();

    /** Whether the agent decides only after a CPU has asked. */
    boolean isOnDemand();

    /** Lays a region out. */
    SimRegion open(EnclaveShape shape, SimCosts costs, SimTime time, SimSignals signals);
}
