package dev.bascule.host.sim;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;

/** How a transport over a SmartNIC's memory makes its live ends. */
interface NicEnds {
    long nicBytes(EnclaveShape shape);

    long hostBytes(EnclaveShape shape);

    /** Whether the host looks for decisions in its own memory. */
    boolean isPush();

    /** Whether messages leave together at commit. */
    boolean isBatch();

    /** Whether a decision may become visible later than the commit that staged it, when the host asks for it. */
    boolean isAsked();

    MechanismEnd host(Window toNic, Window fromNic, Window hostMemory, EnclaveShape shape, Clock clock);

    AgentEnd agent(Window nic, Window hostMemory, int agent, long nonce, Doorbell bell, Clock clock);
}
