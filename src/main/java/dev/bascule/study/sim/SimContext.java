package dev.bascule.study.sim;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;

/**
 * Context of one run, shared by its parts; knows none of them.
 *
 * @param options size and length of the run
 * @param costs what time and access cost
 * @param shape CPUs, tasks and agents
 * @param time the clock of the actor whose turn it is
 * @param events the event queue
 * @param region the transport's memory
 * @param end the host's end of the transport
 * @param mechanism the host's side of scheduling, on that end
 * @param stats what is measured
 * @param trace what is written down
 */
record SimContext(SimOptions options, SimCosts costs, EnclaveShape shape, SimTime time, SimEvents events,
        SimRegion region, SimHostEnd end, Mechanism mechanism, SimStats stats, TraceWriter trace) {}
