package dev.bascule.agent.region;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.ring.Clock;

/**
 * Rules by which a host and its agents share memory, wherever that lies: both ends, made from the links that a place has.
 * Used at set-up only; what the ends do for a decision does not pass through here.
 */
public interface Protocol {
    /**
     * Sizes of a region.
     *
     * @param nicBytes NIC memory; the whole, if one coherent memory stands for both
     * @param hostBytes host memory
     * @param sharedBytes the part of host memory, from its start, that the agent reaches
     */
    record Sizes(long nicBytes, long hostBytes, long sharedBytes) {}

    /** Name as in {@code --transport}. */
    String name();

    /** Number in a {@link RegionHeader}. */
    int kind();

    /** Sizes that a region of this shape needs. */
    Sizes sizes(EnclaveShape shape);

    /** Whether the host looks for decisions in its own memory. */
    default boolean isPush() {
        return false;
    }

    /** Whether a decision becomes visible by a compare-and-swap across the link. */
    default boolean isWord() {
        return false;
    }

    /**
     * Opens the host's end; see {@link RegionHost#RegionHost}.
     *
     * @throws dev.bascule.agent.DamagedRegionException if what a former host left is of another version, shape or mode
     */
    MechanismEnd host(RegionLinks links, EnclaveShape shape, Clock clock);

    /**
     * Attaches an agent to the current epoch.
     *
     * @param nonce tells this agent from any other
     * @throws dev.bascule.agent.AgentException if there is no intact region, or the place is taken
     */
    AgentEnd agent(AgentLinks links, int agent, long nonce);

    /**
     * Stands an agent beside the one at work, to take its place.
     *
     * @throws dev.bascule.agent.AgentException if there is no intact region, none is at work, or another is to succeed it
     */
    Succession successor(AgentLinks links, int agent, long nonce);
}
