package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.agent.region.Succession;
import dev.bascule.rdma.MirrorAgent;
import dev.bascule.ring.Clock;
import dev.bascule.swap.SwapOptions;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveOptions;
import dev.bascule.wave.WaveProtocol;

/** Protocol of an agent that takes whatever its host uses: the region's header says which that is. */
record AnyProtocol() implements Protocol {
    /** Protocol of this number, for an agent: what a host chooses lies in the region. */
    static Protocol of(int kind) {
        return switch (kind) {
            case RegionHeader.WAVE -> new WaveProtocol(WaveOptions.ALL);
            case RegionHeader.SWAP -> new SwapProtocol(SwapOptions.DEFAULT);
            default -> throw new AgentException("attach to region: the host uses transport number " + kind
                    + ", which this release does not know; use one release on both sides");
        };
    }

    private static Protocol in(AgentLinks links) {
        return of(RegionHeader.kind(links.nic(), RegionLayout.HEADER));
    }

    @Override
    public String name() {
        return MirrorAgent.ANY;
    }

    @Override
    public int kind() {
        throw ofHost();
    }

    @Override
    public Sizes sizes(EnclaveShape shape) {
        throw ofHost();
    }

    @Override
    public MechanismEnd host(RegionLinks links, EnclaveShape shape, Clock clock) {
        throw ofHost();
    }

    private static IllegalStateException ofHost() {
        return new IllegalStateException("a host has one transport");
    }

    @Override
    public AgentEnd agent(AgentLinks links, int agent, long nonce) {
        return in(links).agent(links, agent, nonce);
    }

    @Override
    public Succession successor(AgentLinks links, int agent, long nonce) {
        return in(links).successor(links, agent, nonce);
    }
}
