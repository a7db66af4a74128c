package dev.bascule.model.smartnic;

import dev.bascule.device.Interrupt;
import dev.bascule.loopback.DmaWindow;
import dev.bascule.loopback.FaultSite;
import dev.bascule.loopback.MappedRanges;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;

/**
 * The host's side of a SmartNIC region. Each call that gives a window, doorbell or interrupt gives a new one, for one
 * thread.
 */
public final class HostSide {
    private final SmartNicRegion region;
    private final MappedRanges ranges;

    HostSide(SmartNicRegion region, MappedRanges ranges) {
        this.region = region;
        this.ranges = ranges;
    }

    /** NIC memory, to write to the NIC: write-combining. */
    public Window toNic() {
        return toNic(MemoryType.WC);
    }

    /** NIC memory, to write to the NIC, through a chosen memory type. */
    public Window toNic(MemoryType type) {
        return region.faulty(region.nicMemory().host(type, region.nextSeed()), FaultSite.HOST_TO_NIC);
    }

    /** NIC memory, to read what the NIC wrote: write-through. */
    public Window fromNic() {
        return fromNic(MemoryType.WT);
    }

    /** NIC memory, to read what the NIC wrote, through a chosen memory type. */
    public Window fromNic(MemoryType type) {
        return region.nicMemory().host(type, region.nextSeed());
    }

    /** The host's own DMA memory: write-back. */
    public Window memory() {
        return region.hostMemory().owner();
    }

    /** Lets the NIC reach [offset, offset + lengthBytes) of the host's DMA memory; whole lines. */
    public void mapDma(long offset, long lengthBytes) {
        if (offset > region.hostMemory().segment().byteSize() - lengthBytes) {
            throw new IllegalArgumentException("map for DMA: [" + offset + ", +" + lengthBytes
                    + ") lies outside of host memory of " + region.hostMemory().segment().byteSize() + " bytes");
        }
        ranges.map(offset, lengthBytes);
    }

    /** Unmaps the range that starts at {@code offset}. A new region has one range: everything, at 0. */
    public void unmapDma(long offset) {
        ranges.unmap(offset);
    }

    /** DMA accesses of the NIC outside what is mapped; see also {@link DmaWindow#faultCount()}. */
    public long dmaFaultCount() {
        return ranges.faultCount();
    }

    /** A doorbell to the NIC, 0 to 63. */
    SignalSender doorbell(int number) {
        return region.sender(SmartNicRegion.Direction.TO_NIC, number);
    }

    /** An interrupt vector from the NIC, 0 to 63. Opening it unmasks it and discards earlier raises. */
    public Interrupt interrupt(int vector) {
        return region.receiver(SmartNicRegion.Direction.TO_HOST, vector);
    }
}
