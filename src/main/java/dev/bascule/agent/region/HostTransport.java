package dev.bascule.agent.region;

import dev.bascule.agent.HostControl;

/**
 * The host's end of one transport: what {@link RegionHost} does not know. All of it is asked for when the host's end is
 * made.
 */
public interface HostTransport {
    /** How messages travel, with what the thread of messages has. */
    HostMessages messages(HostThread own);

    /** How one CPU's decisions and their outcomes travel from {@code epoch} on, with what that CPU's thread has. */
    CpuPort port(int cpu, int epoch, HostThread own);

    /**
     * The agent's last epoch of the host that used this memory before, 0 if none did. Called before anything is written.
     *
     * @throws dev.bascule.agent.DamagedRegionException if that host cannot be followed
     */
    default int lastEpoch(RegionLinks links, int agent) {
        return new HostControl(links.fromNic(), RegionLayout.hostControl(agent)).epoch();
    }

    /**
     * Whether the link may lose a store, or an agent that was fenced overwrite one: then {@link RegionHost#tick} has the
     * ports repeat what is not acknowledged. Coherent memory that only its writers reach loses nothing.
     */
    default boolean mayLose() {
        return true;
    }
}
