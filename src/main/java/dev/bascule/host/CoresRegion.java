package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.RegionHeader;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Iova;
import dev.bascule.memory.PartWindow;
import dev.bascule.memory.Window;
import dev.bascule.nic.smartnic.CardCores;
import dev.bascule.ring.Doorbell;

/**
 * An agent's end of a region in a card's memory, which it has found by the host's handshake and proved to reach.
 * <p>
 * Thread rule: the agent's thread, beside those of other processes on the same memory.
 */
final class CoresRegion {
    private static final long PATIENCE_NANOS = 200_000_000;

    private final CardCores cores;
    private final Handshake handshake;
    private final Window hostMemory;

    private CoresRegion(CardCores cores, Handshake handshake, Window hostMemory) {
        this.cores = cores;
        this.handshake = handshake;
        this.hostMemory = hostMemory;
    }

    /**
     * Finds the region.
     *
     * @param transport its number in a region's header
     * @throws AgentException if no host has laid one out, or one of another transport, or its header is damaged
     * @throws DeviceException if host memory is not reached; the host is told, too
     */
    static CoresRegion attach(CardCores cores, int transport) {
        Window page = page(cores);
        Handshake found = read(cores, page);
        if (found.transport() != transport) {
            throw RegionHeader.wrongTransport(found.transport(), transport);
        }
        if (found.inBar()) {
            return new CoresRegion(cores, found,
                    part(cores.memory(), Handshake.PAGE + found.nicBytes(), found.hostBytes()));
        }
        return new CoresRegion(cores, found, reach(cores, page, found));
    }

    /** The number of the transport whose host has laid the region out. */
    static int transport(CardCores cores) {
        return read(cores, page(cores)).transport();
    }

    /** Description of what a host has laid out; empty if none has. */
    static String describe(CardCores cores) {
        return Handshake.found(page(cores)).map(found -> (found.transport() == RegionHeader.WAVE ? "wave" : "swap")
                + ", the region's host number " + found.epoch() + ", host memory "
                + (found.inBar() ? "in the BAR" : "at " + new Iova(found.hostAddress()))).orElse("");
    }

    private static Window page(CardCores cores) {
        return part(cores.memory(), 0, Handshake.PAGE);
    }

    /** Waits a little for a host that rings when it is there. */
    private static Handshake read(CardCores cores, Window page) {
        if (Handshake.found(page).isEmpty()) {
            cores.awaitDoorbell(PATIENCE_NANOS);
        }
        return Handshake.read(page);
    }

    private static Window reach(CardCores cores, Window page, Handshake found) {
        Window whole;
        try {
            whole = cores.hostMemory(new Iova(found.hostAddress()), Handshake.PAGE + found.hostBytes());
        } catch (DeviceException e) {
            found.answer(page, Handshake.NOT_REACHED, 0);
            throw e;
        }
        long first = whole.loadAcquire(0);
        if (first != found.cookie() && Handshake.read(page).equals(found)) {
            found.answer(page, Handshake.OTHER_MEMORY, first);
            throw new DeviceException("reach host memory", new Iova(found.hostAddress()).toString(),
                    "its first word is 0x" + Long.toHexString(first) + ", not the one that the host has put there",
                    "see window.base in the configuration, and whether the host's IOMMU lets the card through");
        }
        found.answer(page, Handshake.REACHED, 0);
        return part(whole, Handshake.PAGE, found.hostBytes());
    }

    private static Window part(Window whole, long from, long bytes) {
        try {
            return new PartWindow(whole, from, bytes);
        } catch (IndexOutOfBoundsException e) {
            throw new AgentException("attach to the card's region: its header names " + bytes + " bytes at " + from
                    + " of " + whole.sizeBytes() + "; start the host again", e);
        }
    }

    Window nic() {
        return part(cores.memory(), Handshake.PAGE, handshake.nicBytes());
    }

    Window hostMemory() {
        return hostMemory;
    }

    Doorbell bell() {
        return cores.interrupt(handshake.self());
    }
}
