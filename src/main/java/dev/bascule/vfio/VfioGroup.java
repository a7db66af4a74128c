package dev.bascule.vfio;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.generated.vfio_group_status;
import dev.bascule.ffi.generated.vfio_h;
import dev.bascule.pci.IommuGroup;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An IOMMU group of the legacy interface: the unit of isolation, opened once for all its devices. */
final class VfioGroup implements AutoCloseable {
    private final IommuGroup group;
    private final Fd fd;
    private final @Nullable UUID token;

    private VfioGroup(IommuGroup group, Fd fd, @Nullable UUID token) {
        this.group = group;
        this.fd = fd;
        this.token = token;
    }

    /** Opens the group of a device and checks that it is viable. */
    static VfioGroup open(PciAddress address, VfioOptions options) {
        IommuGroup group = groupOf(address, options);
        boolean noIommu = options.kernelInterface() == VfioOptions.KernelInterface.NO_IOMMU;
        Path node = options.dev().resolve("vfio").resolve((noIommu ? "noiommu-" : "") + group.number());
        requireNode(node, group, noIommu, options);
        Fd fd = open(node, group);
        try {
            requireViable(fd, group);
        } catch (RuntimeException e) {
            fd.close();
            throw e;
        }
        return new VfioGroup(group, fd, options.token());
    }

    private static IommuGroup groupOf(PciAddress address, VfioOptions options) {
        return IommuGroup.of(options.sysfs(), address).orElseThrow(() -> {
            if (!Files.exists(options.sysfs().resolve("bus/pci/devices/" + address))) {
                return new DeviceException("open device", address.toString(), "this machine has no such PCI function",
                        "list them: bascule devices");
            }
            return new DeviceException("open device", address.toString(), "it is in no IOMMU group",
                    "switch the IOMMU on in the firmware's set-up and with the kernel parameter intel_iommu=on (Intel)"
                            + " or amd_iommu=on (AMD), then check: ls /sys/kernel/iommu_groups");
        });
    }

    private static void requireNode(Path node, IommuGroup group, boolean noIommu, VfioOptions options) {
        if (Files.exists(node)) {
            return;
        }
        if (!noIommu && Files.exists(options.dev().resolve("vfio/noiommu-" + group.number()))) {
            throw new DeviceException("open group", "IOMMU group " + group.number(),
                    "the kernel offers it only without an IOMMU, and then the device can write to all memory",
                    "switch the IOMMU on, or accept the danger with --no-iommu");
        }
        throw new DeviceException("open group", "IOMMU group " + group.number(),
                "no device of it is bound to vfio-pci (no " + node + "); its members: " + group.describe(),
                "bascule bind " + group.members().get(0).address());
    }

    private static Fd open(Path node, IommuGroup group) {
        try {
            return Libc.open(node.toString(), Linux.O_RDWR);
        } catch (NativeException e) {
            if (e.errno() == Errno.EBUSY) {
                throw new DeviceException("open group", node.toString(), "EBUSY (16): another process drives it",
                        "find it: sudo fuser -v " + node, e);
            }
            if (e.errno() == Errno.EPERM) {
                throw new DeviceException("open group", node.toString(),
                        "EPERM (1): without an IOMMU this takes CAP_SYS_RAWIO", "run as root", e);
            }
            throw VfioErrors.of("open group", group.describe(), e);
        }
    }

    private static void requireViable(Fd fd, IommuGroup group) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = vfio_group_status.allocate(arena);
            vfio_group_status.argsz(status, (int) vfio_group_status.sizeof());
            fd.ioctl("VFIO_GROUP_GET_STATUS", vfio_h.VFIO_GROUP_GET_STATUS(), status);
            if ((vfio_group_status.flags(status) & vfio_h.VFIO_GROUP_FLAGS_VIABLE()) == 0) {
                throw new DeviceException("open group", "IOMMU group " + group.number(),
                        "it is not viable: " + group.describeOffenders() + " still belong to other drivers",
                        "bind the whole group: bascule bind --group " + group.members().get(0).address());
            }
        } catch (NativeException e) {
            throw VfioErrors.of("open group", fd.name(), e);
        }
    }

    static int numberOf(PciAddress address, VfioOptions options) {
        return groupOf(address, options).number();
    }

    int number() {
        return group.number();
    }

    Fd fd() {
        return fd;
    }

    void setContainer(Fd container) {
        try (Arena arena = Arena.ofConfined()) {
            fd.ioctl("VFIO_GROUP_SET_CONTAINER", vfio_h.VFIO_GROUP_SET_CONTAINER(),
                    arena.allocateFrom(ValueLayout.JAVA_INT, container.number()));
        } catch (NativeException e) {
            throw VfioErrors.of("put group into container", group.describe(), e);
        }
    }

    Fd openDevice(PciAddress address) {
        try (Arena arena = Arena.ofConfined()) {
            int number = fd.ioctl("VFIO_GROUP_GET_DEVICE_FD", vfio_h.VFIO_GROUP_GET_DEVICE_FD(),
                    arena.allocateFrom(token == null ? address.toString() : address + " vf_token=" + token));
            return Fd.adopt(number, address.toString());
        } catch (NativeException e) {
            if (token != null || e.errno() == Errno.EACCES) {
                throw new DeviceException("open device", address.toString(), e.errnoName() + (token == null
                        ? ": vfio-pci has its physical function too, and lets in only who knows the token that the process"
                                + " of that one has said"
                        : ": the kernel does not take the token; its log says why"),
                        "--vf-token UUID, the same for the physical function's process and for this one, and only if"
                                + " vfio-pci has the physical one: bascule devices",
                        e);
            }
            if (e.errno() == Errno.ENODEV || e.errno() == Errno.EINVAL) {
                throw new DeviceException("open device", address.toString(), e.errnoName()
                        + ": it is not bound to vfio-pci; its group: " + group.describe(), "bascule bind " + address,
                        e);
            }
            throw VfioErrors.of("open device", address.toString(), e);
        }
    }

    @Override
    public void close() {
        fd.close();
    }
}
