package dev.bascule.model.smartnic;

import dev.bascule.loopback.DmaWindow;
import dev.bascule.loopback.FaultSite;
import dev.bascule.loopback.MappedRanges;
import dev.bascule.memory.Window;

/**
 * The side of the NIC's own cores. Each call that gives a window, doorbell or interrupt gives a new one, for one thread.
 */
public final class NicSide {
    private final SmartNicRegion region;
    private final MappedRanges ranges;

    NicSide(SmartNicRegion region, MappedRanges ranges) {
        this.region = region;
        this.ranges = ranges;
    }

    /** NIC memory: write-back and coherent for the NIC's cores. Ask {@code arrived} before looking at a line. */
    public Window memory() {
        return region.faulty(region.nicMemory().owner(), FaultSite.NIC_TO_HOST);
    }

    /**
     * Host DMA memory as the NIC's DMA engine reaches it: mapped ranges only, cached copies until invalidated, writes
     * posted.
     */
    public Window hostMemory() {
        return region.faulty(dma(), FaultSite.DMA_WRITE);
    }

    /** Host DMA memory as {@link #hostMemory} gives it, but without faults and with the count of refused accesses. */
    public DmaWindow dma() {
        return region.hostMemory().dma(ranges, region.nextSeed());
    }

    /** Sender of an interrupt vector to the host, 0 to 63. */
    public SignalSender interrupt(int vector) {
        return region.sender(SmartNicRegion.Direction.TO_HOST, vector);
    }

    /** Receiver of a doorbell of the host, 0 to 63. */
    SignalReceiver doorbell(int number) {
        return region.receiver(SmartNicRegion.Direction.TO_NIC, number);
    }
}
