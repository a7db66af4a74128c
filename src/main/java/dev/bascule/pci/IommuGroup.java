package dev.bascule.pci;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The PCI functions that the IOMMU cannot tell apart: they are given to one user together or not at all.
 *
 * @param number the kernel's number
 * @param members all functions of it, by address
 */
public record IommuGroup(int number, List<PciDevice> members) {
    private static final Set<String> HARMLESS = Set.of("vfio-pci", "pci-stub", "pcieport");
    private static final int BRIDGE = 0x06;

    /** Copies the list. */
    public IommuGroup {
        members = List.copyOf(members);
    }

    /** The group of a function; empty without an IOMMU or without the function. */
    public static Optional<IommuGroup> of(Path sysfsRoot, PciAddress address) {
        List<PciDevice> all = PciDevices.list(sysfsRoot);
        return all.stream().filter(device -> device.address().equals(address) && device.iommuGroup() >= 0).findFirst()
                .map(device -> new IommuGroup(device.iommuGroup(),
                        all.stream().filter(other -> other.iommuGroup() == device.iommuGroup()).toList()));
    }

    /** Members whose driver keeps the group from being used: bound to something else than vfio-pci, and no bridge. */
    public List<PciDevice> offenders() {
        return members.stream().filter(IommuGroup::offends).toList();
    }

    private static boolean offends(PciDevice device) {
        String driver = device.driver();
        return driver != null && !HARMLESS.contains(driver);
    }

    /** Members that are endpoints and so can be bound to vfio-pci. */
    public List<PciDevice> endpoints() {
        return members.stream().filter(device -> device.classCode() >>> 16 != BRIDGE).toList();
    }

    /** All members with their drivers, for messages. */
    public String describe() {
        return describe(members);
    }

    /** The offenders with their drivers, for messages. */
    public String describeOffenders() {
        List<PciDevice> found = offenders();
        return describe(found.isEmpty() ? members : found);
    }

    private static String describe(List<PciDevice> devices) {
        return devices.stream().map(device -> device.address() + " ("
                + (device.driver() == null ? "no driver" : device.driver()) + ")").collect(Collectors.joining(", "));
    }
}
