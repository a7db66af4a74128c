package dev.bascule.agent.region;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;

/**
 * A region that an agent is about to attach to, in the epoch that is current now.
 *
 * @param nic NIC memory, or what stands for it
 * @param hostMemory host memory as the agent reaches it
 * @param agent which agent, by its number from 0
 * @param nonce tells this agent from any other; a process id will do
 * @param host the host's word for this agent
 * @param epoch current when this was made
 * @param counters what this end has seen
 */
public record AgentRegion(Window nic, Window hostMemory, RegionLayout layout, int agent, long nonce, HostControl host,
        int epoch, TransportCounters counters) {
    /**
     * Looks at the host's word.
     *
     * @throws AgentException if the region is cut off, or has no such agent
     */
    public static AgentRegion find(Window nic, Window hostMemory, RegionLayout layout, int agent, long nonce) {
        layout.shape().requireAgent(agent);
        if (nic.sizeBytes() < layout.nicBytes() || hostMemory.sizeBytes() < layout.hostBytes()) {
            throw new AgentException("attach to region: it is cut off: needs " + layout.nicBytes()
                    + " bytes of NIC memory and " + layout.hostBytes() + " of host memory, has " + nic.sizeBytes()
                    + " and " + hostMemory.sizeBytes() + "; restart the host");
        }
        HostControl host = new HostControl(nic, RegionLayout.hostControl(agent));
        return new AgentRegion(nic, hostMemory, layout, agent, nonce, host, host.epoch(),
                new TransportCounters());
    }

    /** The enclave's size. */
    public EnclaveShape shape() {
        return layout.shape();
    }

    /** Whether the agent decides for the CPU. */
    public boolean has(int cpu) {
        return shape().agentOf(cpu) == agent;
    }
}
