package dev.bascule.study.sim;

import dev.bascule.agent.EnclaveShape;

/** The agent on a core of the host, over coherent memory, as in ghOSt. */
record LocalTransport() implements SimTransport {
    @Override
    public String name() {
        return "on-host";
    }

    @Override
    public boolean onNic() {
        return false;
    }

    @Override
    public boolean isOnDemand() {
        return false;
    }

    @Override
    public SimRegion open(EnclaveShape shape, SimCosts costs, SimTime time, SimSignals signals) {
        return new LocalRegion(shape, costs, time, signals);
    }
}
