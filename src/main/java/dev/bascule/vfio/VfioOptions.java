package dev.bascule.vfio;

import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How devices are reached.
 *
 * @param kernelInterface which interface of the kernel
 * @param sysfs usually {@code /sys}
 * @param dev usually {@code /dev}
 * @param writeCombining BARs that are memory and to be mapped write-combining as a whole; all others are uncached. The
 *     kernel fixes a BAR's type before the device is opened, so it cannot be changed later
 * @param token secret that the processes of a physical function and of its virtual functions share, if vfio-pci has the
 *     physical one too; it is what the physical one's process says first. Null: none
 */
public record VfioOptions(KernelInterface kernelInterface, Path sysfs, Path dev, Set<Integer> writeCombining,
        @Nullable UUID token) {
    /** Copies the set. */
    public VfioOptions {
        writeCombining = Set.copyOf(writeCombining);
    }

    /** With all BARs uncached, and no token. */
    public VfioOptions(KernelInterface kernelInterface, Path sysfs, Path dev) {
        this(kernelInterface, sysfs, dev, Set.of(), null);
    }

    /** The best that the kernel has: iommufd, else the container. */
    public static final VfioOptions DEFAULT = new VfioOptions(KernelInterface.AUTOMATIC, Path.of("/sys"),
            Path.of("/dev"));

    /** The kernel's interfaces to VFIO devices. */
    public enum KernelInterface {
        /**
         * cdev and iommufd where the kernel has both for the device, unless the user may open the group's node only;
         * else container and group. Never no-IOMMU.
         */
        AUTOMATIC,
        /** {@code /dev/vfio/vfio} and {@code /dev/vfio/GROUP} with a type-1 IOMMU. */
        GROUP,
        /** {@code /dev/vfio/devices/vfioN} and {@code /dev/iommu}. */
        CDEV,
        /** No IOMMU at all: the device can write to any memory of the machine. Only when asked for by this name. */
        NO_IOMMU
    }

    /** Copy of these options with another interface of the kernel. */
    public VfioOptions with(KernelInterface other) {
        return new VfioOptions(other, sysfs, dev, writeCombining, token);
    }

    /** Copy of these options with these BARs write-combining. */
    public VfioOptions withWriteCombining(Set<Integer> bars) {
        return new VfioOptions(kernelInterface, sysfs, dev, bars, token);
    }

    /** Copy of these options with this token; null for none. */
    public VfioOptions withToken(@Nullable UUID other) {
        return new VfioOptions(kernelInterface, sysfs, dev, writeCombining, other);
    }
}
