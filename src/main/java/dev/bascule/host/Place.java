package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Memory where a host and its agents meet, whatever protocol they follow there. A run directory names it for agents of
 * this process and of others.
 * <p>
 * Thread rule: the control path's thread.
 */
public interface Place extends AutoCloseable {
    /** Run directory where an agent of another process finds the region. */
    Path directory();

    /**
     * Lays memory out for a host, or takes over what a former host left.
     *
     * @param damage why what is there cannot be gone on with, and is to be replaced; null: it can
     */
    RegionLinks lay(Protocol protocol, EnclaveShape shape, @Nullable String damage);

    /** Lets agents come: the host's end is open. */
    default void opened() {}

    /**
     * Links of an agent that attaches.
     *
     * @throws dev.bascule.agent.AgentException if there is no region, or one of another protocol
     */
    AgentLinks find(Protocol protocol, int agent);

    /** Links of an agent that is to stand beside the one at work. */
    default AgentLinks beside(Protocol protocol, int agent) {
        return find(protocol, agent);
    }

    /** Gives links back by which an agent could not attach. */
    default void giveBack(AgentLinks links) {}

    /** How an agent waits for messages of its host that has none now, unless told otherwise: it owns its core, nearly. */
    default IdleStrategy idle() {
        return IdleStrategy.spinThenYield(256);
    }

    /** Objection of the agents' side: why no agent can attach; empty if there is none. */
    default String objection() {
        return "";
    }

    /** Releases the memory and removes the files that were made for it, unless they are to be kept. */
    @Override
    void close();
}
