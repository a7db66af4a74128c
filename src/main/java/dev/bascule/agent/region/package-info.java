/**
 * Common parts of the transports, at both ends of a shared region: epochs and fences, the agents' states and
 * heartbeats, resync, status words, sleep and close. A transport adds how messages, decisions and outcomes travel:
 * {@link dev.bascule.agent.region.HostTransport} at the host's end, {@link dev.bascule.agent.region.AgentTransport} at
 * an agent's. Knows no device.
 */
@NullMarked
package dev.bascule.agent.region;

import org.jspecify.annotations.NullMarked;
