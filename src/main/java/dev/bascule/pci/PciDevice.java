package dev.bascule.pci;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PCI function as sysfs shows it.
 *
 * @param address where it sits
 * @param vendorId vendor, -1 when unreadable
 * @param deviceId device, -1 when unreadable
 * @param classCode 24-bit class code, -1 when unreadable
 * @param driver the kernel driver bound to it, null when none is
 * @param iommuGroup its IOMMU group, -1 without an IOMMU
 * @param numaNode its node, -1 when unknown
 * @param bars its implemented BARs
 */
public record PciDevice(PciAddress address, int vendorId, int deviceId, int classCode, @Nullable String driver,
        int iommuGroup, int numaNode, List<BarRange> bars) {

    /**
     * One BAR as the kernel assigned it.
     *
     * @param index 0 to 5
     * @param sizeBytes its size
     * @param memory whether it is memory and not I/O ports
     * @param prefetchable whether reads have no side effects
     * @param wide whether it is a 64-bit BAR
     */
    public record BarRange(int index, long sizeBytes, boolean memory, boolean prefetchable, boolean wide) {}

    /** Copies the list. */
    public PciDevice {
        bars = List.copyOf(bars);
    }
}
