package dev.bascule.vfio;

import dev.bascule.pci.IommuGroup;
import dev.bascule.pci.PciAddress;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The kernel's nodes of a PCI function that is bound to vfio-pci, and whether this user may open them. Any thread. */
public final class VfioNodes {
    private final Path sysfs;
    private final Path dev;

    /** The nodes below these roots, on this machine {@code /sys} and {@code /dev}. */
    public VfioNodes(Path sysfs, Path dev) {
        this.sysfs = sysfs;
        this.dev = dev;
    }

    static VfioNodes of(VfioOptions options) {
        return new VfioNodes(options.sysfs(), options.dev());
    }

    /** The function's own node, where this kernel has one and iommufd beside it. */
    public Optional<Path> device(PciAddress address) {
        Path folder = sysfs.resolve("bus/pci/devices/" + address + "/vfio-dev");
        if (!Files.isDirectory(folder) || !Files.exists(iommufd())) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                Path node = dev.resolve("vfio/devices").resolve(String.valueOf(entry.getFileName()));
                if (Files.exists(node)) {
                    return Optional.of(node);
                }
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    /** The node of its group, where this kernel has one. */
    public Optional<Path> group(PciAddress address) {
        return IommuGroup.of(sysfs, address).map(group -> dev.resolve("vfio/" + group.number()))
                .filter(Files::exists);
    }

    /** {@code /dev/iommu}; it need not exist. */
    public Path iommufd() {
        return dev.resolve("iommu");
    }

    /** Whether the function's own node and iommufd are open to this user. */
    public boolean deviceIsOpen(PciAddress address) {
        return isOpen(iommufd()) && device(address).filter(VfioNodes::isOpen).isPresent();
    }

    /** Whether the node of its group is open to this user. */
    public boolean groupIsOpen(PciAddress address) {
        return group(address).filter(VfioNodes::isOpen).isPresent();
    }

    /** Whether this user may read and write a node. */
    public static boolean isOpen(Path node) {
        return Files.isReadable(node) && Files.isWritable(node);
    }
}
