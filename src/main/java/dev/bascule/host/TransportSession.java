package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.Succession;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;

/**
 * One transport between one host and its agents: the host's end, and a run directory through which agents attach, from
 * this process or another.
 */
public interface TransportSession extends AutoCloseable {
    /** Name as in {@code --transport}. */
    String name();

    /** Lays the region out (or takes over what a former host left) and opens an epoch. Once per session. */
    MechanismEnd openHost(EnclaveShape shape);

    /** Attaches an agent of this process to the current epoch. */
    AgentEnd attach(int agent);

    /** Stands an agent of this process beside the one at work, to take its place. */
    Succession succeed(int agent);

    /** How an agent waits for messages of its host that has none now, unless told otherwise: it owns its core, nearly. */
    default IdleStrategy idle() {
        return IdleStrategy.spinThenYield(256);
    }

    /** Where an agent of another process finds the region. */
    Path directory();

    /**
     * The name of the transport whose host's region an agent finds by a run directory.
     *
     * @throws dev.bascule.agent.AgentException if there is none yet
     */
    static String transportIn(Path directory) {
        if (CardSession.isAssigned(directory)) {
            return CardSession.transportOf(directory);
        }
        if (LocalSession.isIn(directory)) {
            return LocalSession.NAME;
        }
        return SessionRegion.kindIn(directory) == RegionHeader.SWAP ? SwapSession.NAME : WaveSession.NAME;
    }

    /** Objection of the agents' side: why no agent can attach; empty if there is none. */
    default String objection() {
        return "";
    }

    /** Releases the region and removes the files that this session made. */
    @Override
    void close();
}
