package dev.bascule.study.sim;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.Protocol;

/**
 * A live protocol over a simulated PCIe link. A one-word protocol with the word in NIC memory is over a coherent link.
 *
 * @param name for reports
 * @param protocol makes the live ends
 * @param writeCombining towards the NIC; off: uncached
 * @param writeThrough from the NIC; off: uncached
 * @param isOnDemand whether the agent decides only after a CPU has asked
 * @param isBatch whether messages leave together at commit
 * @param isAsked whether a decision may become visible later than the commit that staged it, when the host asks for it
 */
record NicTransport(String name, Protocol protocol, boolean writeCombining, boolean writeThrough, boolean isOnDemand,
        boolean isBatch, boolean isAsked) implements SimTransport {
    @Override
    public boolean onNic() {
        return true;
    }

    /** Whether the host caches NIC memory, and both compare and swap there. */
    boolean isCoherent() {
        return protocol.isWord() && !protocol.isPush();
    }

    @Override
    public SimRegion open(EnclaveShape shape, SimCosts costs, SimTime time, SimSignals signals) {
        return new NicRegion(this, shape, costs, time, signals);
    }
}
