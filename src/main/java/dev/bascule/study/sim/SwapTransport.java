package dev.bascule.study.sim;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import java.util.List;

/**
 * The bilateral swap over a simulated PCIe link, with the same mappings as {@link WaveTransport} has with all its
 * optimisations: stores combined, lines read through the cache and prefetched. In the one-word mode with the word in NIC
 * memory, over a coherent link.
 *
 * @param name for reports
 * @param options mode and placement
 */
record SwapTransport(String name, SwapOptions options) implements SimTransport, NicEnds {
    @Override
    public boolean onNic() {
        return true;
    }

    @Override
    public boolean isOnDemand() {
        return options.mode() == SwapMode.SWAP0;
    }

    @Override
    public SimRegion open(EnclaveShape shape, SimCosts costs, SimTime time, SimSignals signals) {
        return new NicRegion(this, true, true, shape, costs, time, signals);
    }

    @Override
    public long nicBytes(EnclaveShape shape) {
        return SwapHost.nicBytes(shape, options);
    }

    @Override
    public long hostBytes(EnclaveShape shape) {
        return SwapHost.hostBytes(shape, options);
    }

    @Override
    public boolean isPush() {
        return options.push();
    }

    @Override
    public boolean isWord() {
        return options.mode() == SwapMode.ONE_WORD;
    }

    @Override
    public boolean isCoherent() {
        return isWord() && !options.push();
    }

    @Override
    public boolean isBatch() {
        return true;
    }

    @Override
    public boolean isAsked() {
        return true;
    }

    @Override
    public MechanismEnd host(Window toNic, Window fromNic, Window hostMemory, EnclaveShape shape, Clock clock) {
        return SwapHost.open(new RegionLinks(toNic, fromNic, hostMemory, null, List.of()), shape, options, clock);
    }

    @Override
    public AgentEnd agent(Window nic, Window hostMemory, int agent, long nonce, Doorbell bell, Clock clock) {
        return SwapAgent.attach(nic, hostMemory, null, agent, nonce, bell, clock);
    }
}
