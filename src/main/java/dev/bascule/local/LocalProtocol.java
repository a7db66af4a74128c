package dev.bascule.local;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.agent.region.Succession;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.util.function.IntConsumer;

/**
 * The on-host transport, as ghOSt's: over one memory that is coherent for both sides.
 *
 * @param opened is told each epoch once its bank is empty; for a host's end that is another program's
 */
public record LocalProtocol(IntConsumer opened) implements Protocol {
    /** Name of the transport. */
    public static final String NAME = "on-host";

    /** For a host's end in this program. */
    public LocalProtocol() {
        this(epoch -> {});
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int kind() {
        return RegionHeader.LOCAL;
    }

    @Override
    public Sizes sizes(EnclaveShape shape) {
        return new Sizes(LocalHost.sizeBytes(shape), 0, 0);
    }

    @Override
    public MechanismEnd host(RegionLinks links, EnclaveShape shape, Clock clock) {
        return LocalHost.open(links, memory(links.toNic()), shape, opened);
    }

    @Override
    public AgentEnd agent(AgentLinks links, int agent, long nonce) {
        return LocalAgent.attach(memory(links.nic()).memory(), agent, nonce, links.bell());
    }

    @Override
    public Succession successor(AgentLinks links, int agent, long nonce) {
        return LocalAgent.succeed(memory(links.nic()).memory(), agent, nonce);
    }

    private static PinnedWindow memory(Window window) {
        if (window instanceof PinnedWindow pinned) {
            return pinned;
        }
        throw new AgentException("open region: transport " + NAME + " needs memory that both sides have in common;"
                + " use wave or swap across a link");
    }
}
