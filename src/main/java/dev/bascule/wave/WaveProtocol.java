package dev.bascule.wave;

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
 * Wave's transport: {@link WaveHost} and {@link WaveAgent}.
 *
 * @param options the host's; an agent learns from the region what it needs of them
 */
public record WaveProtocol(WaveOptions options) implements Protocol {
    /** Name of the transport. */
    public static final String NAME = "wave";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int kind() {
        return RegionHeader.WAVE;
    }

    @Override
    public Sizes sizes(EnclaveShape shape) {
        long hostBytes = WaveHost.hostBytes(shape);
        return new Sizes(WaveHost.nicBytes(shape), hostBytes, hostBytes);
    }

    @Override
    public boolean isPush() {
        return options.push();
    }

    @Override
    public MechanismEnd host(RegionLinks links, EnclaveShape shape, Clock clock) {
        return WaveHost.open(links, shape, options);
    }

    @Override
    public AgentEnd agent(AgentLinks links, int agent, long nonce) {
        return WaveAgent.attach(links.nic(), links.hostMemory(), agent, nonce, links.bell(), links.clock());
    }

    @Override
    public Succession successor(AgentLinks links, int agent, long nonce) {
        return WaveAgent.succeed(links.nic(), links.hostMemory(), agent, nonce);
    }
}
