package dev.bascule.study.sim;

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

    /** Whether a decision becomes visible by a compare-and-swap. */
    boolean isWord();

    /** Whether the link is coherent: the host caches NIC memory, and both compare and swap there. */
    boolean isCoherent();

    /** Whether messages leave together at commit. */
    boolean isBatch();

    /** Whether a decision may become visible later than the commit that staged it, when the host asks for it. */
    boolean isAsked();

    MechanismEnd host(Window toNic, Window fromNic, Window hostMemory, EnclaveShape shape, Clock clock);

    AgentEnd agent(Window nic, Window hostMemory, int agent, long nonce, Doorbell bell, Clock clock);
}
