package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.DamagedRegionException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.EpochsUsedException;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.Succession;
import dev.bascule.local.LocalProtocol;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.ring.Clock;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One host and its agents, who follow a protocol at a place: the host's end, and a run directory through which agents
 * attach, from this process or another.
 */
public final class Session implements AutoCloseable {
    private static final String RUN_PREFIX = "bascule-";
    private static final Path SHARED = Path.of("/dev/shm");

    private final Protocol protocol;
    private final Place place;

    /** A session that closes its place. */
    public Session(Protocol protocol, Place place) {
        this.protocol = protocol;
        this.place = place;
    }

    /**
     * The on-host transport over a file of a directory that exists.
     *
     * @param keep leave the region in place on close, so that a later host can take it over
     */
    public static Session onHost(Path directory, boolean keep) {
        return new Session(new LocalProtocol(), new FilePlace(directory, keep));
    }

    /** Wave over a loopback SmartNIC; otherwise as {@link #onHost}. */
    public static Session wave(Path directory, LinkSetup link, boolean keep) {
        return new Session(new WaveProtocol(link.wave()), new LoopbackPlace(directory, link, keep));
    }

    /** The bilateral swap over a loopback SmartNIC, or over the same files as coherent memory; as {@link #onHost}. */
    public static Session swap(Path directory, LinkSetup link, boolean keep) {
        return new Session(new SwapProtocol(link.swap()), new LoopbackPlace(directory, link, keep));
    }

    /** Session of an agent that takes whatever protocol its host uses. */
    public static Session any(Place place) {
        return new Session(new AnyProtocol(), place);
    }

    /** Name as in {@code --transport}. */
    public String name() {
        return protocol.name();
    }

    /** Protocol that host and agents follow. */
    public Protocol protocol() {
        return protocol;
    }

    /** Place where host and agents meet. */
    public Place place() {
        return place;
    }

    /**
     * Lays the region out (or takes over what a former host left) and opens an epoch. Once per session. A region whose
     * header is damaged or says another layout, or whose epochs are used up, by which an agent could keep every later
     * host from it, is replaced.
     */
    public MechanismEnd openHost(EnclaveShape shape) {
        MechanismEnd end;
        try {
            end = protocol.host(place.lay(protocol, shape, null), shape, Clock.system());
        } catch (DamagedRegionException | EpochsUsedException e) {
            end = protocol.host(place.lay(protocol, shape, String.valueOf(e.getMessage())), shape, Clock.system());
        }
        place.opened();
        return end;
    }

    /** Attaches an agent of this process to the current epoch. */
    public AgentEnd attach(int agent) {
        AgentLinks links = place.find(protocol, agent);
        try {
            return protocol.agent(links, agent, nonce());
        } catch (RuntimeException e) {
            place.giveBack(links);
            throw e;
        }
    }

    /** Stands an agent of this process beside the one at work, to take its place. */
    public Succession succeed(int agent) {
        return protocol.successor(place.beside(protocol, agent), agent, nonce());
    }

    private static long nonce() {
        return ProcessHandle.current().pid() << 32 ^ System.nanoTime();
    }

    /** How an agent waits for messages of its host that has none now, unless told otherwise. */
    public IdleStrategy idle() {
        return place.idle();
    }

    /** Run directory where an agent of another process finds the region. */
    public Path directory() {
        return place.directory();
    }

    /** Objection of the agents' side: why no agent can attach; empty if there is none. */
    public String objection() {
        return place.objection();
    }

    /** Releases the region and removes the files that this session made. */
    @Override
    public void close() {
        place.close();
    }

    /**
     * The name of the transport whose host's region an agent finds by a run directory.
     *
     * @throws dev.bascule.agent.AgentException if there is none yet
     */
    public static String transportIn(Path directory) {
        if (CardPlace.isAssigned(directory)) {
            return AnyProtocol.of(CardPlace.kindIn(directory)).name();
        }
        if (FilePlace.isIn(directory)) {
            return LocalProtocol.NAME;
        }
        return LoopbackPlace.kindIn(directory) == RegionHeader.SWAP ? SwapProtocol.NAME : WaveProtocol.NAME;
    }

    /** Makes a run directory of its own on the memory file system, for this user only; it goes when this process ends. */
    public static ScratchFolder newRunDirectory() {
        Path base = Files.isWritable(SHARED) ? SHARED : temporary();
        try {
            return ScratchFolder.create(base, RUN_PREFIX);
        } catch (IOException e) {
            throw new UncheckedIOException("make run directory in " + base + ": " + e.getMessage()
                    + "; free some space there: df -h " + base, e);
        }
    }

    /** Removes run directories and temporary databases that killed processes of this user left; returns how many. */
    public static int removeLeftovers() {
        int removed = ScratchFolder.removeLeftovers(SHARED, RUN_PREFIX);
        return removed + ScratchFolder.removeLeftovers(temporary(), RUN_PREFIX);
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }
}
