package dev.bascule.wave;

import dev.bascule.agent.AgentException;
import dev.bascule.memory.Window;
import dev.bascule.ring.Waiter;

/**
 * What a host needs of a SmartNIC: two views of its memory, host memory that it can reach by DMA, and its interrupt.
 *
 * @param toNic NIC memory for stores: WC, or UC without that optimisation, or WB on a coherent link
 * @param fromNic the same memory for loads: WT, or UC without that optimisation, or WB on a coherent link
 * @param hostMemory host memory shared with the NIC (WB)
 * @param waiter sleeps until the NIC's interrupt
 */
public record WaveLinks(Window toNic, Window fromNic, Window hostMemory, Waiter waiter) {
    void require(long nicBytes, long hostBytes) {
        long nic = Math.min(toNic.sizeBytes(), fromNic.sizeBytes());
        if (nic < nicBytes || hostMemory.sizeBytes() < hostBytes) {
            throw new AgentException("lay out Wave region: needs " + nicBytes + " bytes of NIC memory and " + hostBytes
                    + " of host memory, has " + nic + " and " + hostMemory.sizeBytes());
        }
    }
}
