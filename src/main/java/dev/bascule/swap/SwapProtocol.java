package dev.bascule.swap;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.agent.region.Succession;
import dev.bascule.ring.Clock;

/**
 * The bilateral swap: {@link SwapHost} and {@link SwapAgent}. Records behind the shared part of host memory are the
 * host's alone.
 *
 * @param options the host's; an agent learns from the region what it needs of them
 */
public record SwapProtocol(SwapOptions options) implements Protocol {
    /** Name of the transport. */
    public static final String NAME = "swap";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int kind() {
        return RegionHeader.SWAP;
    }

    @Override
    public Sizes sizes(EnclaveShape shape) {
        return new Sizes(SwapHost.nicBytes(shape, options), SwapHost.hostBytes(shape, options),
                SwapHost.sharedHostBytes(shape, options));
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
    public MechanismEnd host(RegionLinks links, EnclaveShape shape, Clock clock) {
        return SwapHost.open(links, shape, options, clock);
    }

    @Override
    public AgentEnd agent(AgentLinks links, int agent, long nonce) {
        return SwapAgent.attach(links.nic(), links.hostMemory(), links.coherent(), agent, nonce, links.bell(),
                links.clock());
    }

    @Override
    public Succession successor(AgentLinks links, int agent, long nonce) {
        return SwapAgent.succeed(links.nic(), links.hostMemory(), agent, nonce);
    }
}
