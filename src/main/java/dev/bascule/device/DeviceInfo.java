package dev.bascule.device;

import dev.bascule.pci.PciAddress;
import org.jspecify.annotations.Nullable;

/**
 * Identity of a device.
 *
 * @param name name for people
 * @param backing how it is reached: {@code loopback}, {@code vfio}, {@code vfio-user}
 * @param address its PCI location, null where it has none
 * @param vendorId PCI vendor
 * @param deviceId PCI device
 * @param classCode 24-bit class, subclass and programming interface
 * @param numaNode its node, or -1
 */
public record DeviceInfo(String name, String backing, @Nullable PciAddress address, int vendorId, int deviceId,
        int classCode, int numaNode) {
    @Override
    public String toString() {
        return "%s (%s, %04x:%04x)".formatted(address == null ? name : name + " at " + address, backing, vendorId,
                deviceId);
    }
}
