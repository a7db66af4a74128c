package dev.bascule.study.sim;

import dev.bascule.config.CostProfile;
import java.util.List;

/**
 * Everything about a simulated host except its policy and its load.
 *
 * @param options size and length of the run
 * @param transport between host and agent
 * @param costs what time and access cost
 * @param faults in the order of their time
 * @param churn changes of waiting tasks behind the agent's back
 */
public record SimSetup(SimOptions options, SimTransport transport, SimCosts costs, List<SimFault> faults,
        SimChurn churn) {
    /** Keeps a copy of the faults. */
    public SimSetup {
        faults = List.copyOf(faults);
    }

    /** A setup without faults. The agent's costs are the profile's for the NIC or for the host, as the transport says. */
    public static SimSetup of(SimOptions options, SimTransport transport, CostProfile profile) {
        return new SimSetup(options, transport, SimCosts.of(profile, transport.onNic()), List.of(), SimChurn.NONE);
    }

    /** A setup without faults in which nothing costs time. */
    public static SimSetup free(SimOptions options, SimTransport transport) {
        return new SimSetup(options, transport, SimCosts.FREE, List.of(), SimChurn.NONE);
    }

    /** With these faults. */
    public SimSetup withFaults(List<SimFault> newFaults) {
        return new SimSetup(options, transport, costs, newFaults, churn);
    }

    /** With changes of waiting tasks. */
    public SimSetup withChurn(SimChurn newChurn) {
        return new SimSetup(options, transport, costs, faults, newChurn);
    }
}
