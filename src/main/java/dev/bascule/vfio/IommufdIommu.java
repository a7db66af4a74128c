package dev.bascule.vfio;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Iommufd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The newer interface: devices by their own node, one IO address space of an iommufd. */
final class IommufdIommu implements Iommu {
    private final VfioOptions options;
    private final Fd iommu;
    private final int ioas;

    private IommufdIommu(VfioOptions options, Fd iommu, int ioas) {
        this.options = options;
        this.iommu = iommu;
        this.ioas = ioas;
    }

    static IommufdIommu open(VfioOptions options) {
        Path node = VfioNodes.of(options).iommufd();
        try {
            Fd fd = Libc.open(node.toString(), Linux.O_RDWR);
            try {
                return new IommufdIommu(options, fd, Iommufd.allocateIoas(fd));
            } catch (RuntimeException e) {
                fd.close();
                throw e;
            }
        } catch (NativeException e) {
            if (e.errno() == Errno.ENOENT) {
                throw new DeviceException("open iommufd", node.toString(), "ENOENT (2): this kernel has none",
                        "use the group interface, or a kernel with CONFIG_IOMMUFD and CONFIG_VFIO_DEVICE_CDEV", e);
            }
            throw VfioErrors.of("open iommufd", node.toString(), e, "use the group interface, or a kernel with"
                    + " CONFIG_IOMMUFD and CONFIG_VFIO_DEVICE_CDEV");
        }
    }

    @Override
    public Fd attach(PciAddress address) {
        if (options.token() != null) {
            throw new DeviceException("open device", address.toString(),
                    "a token is said through the group's interface",
                    "--kernel-interface group");
        }
        Path node = VfioNodes.of(options).device(address)
                .orElseThrow(() -> new DeviceException("open device", address.toString(),
                        "it has no node in " + options.dev().resolve("vfio/devices"),
                        "bascule bind " + address + ", on a kernel with CONFIG_VFIO_DEVICE_CDEV"));
        Fd device = null;
        try {
            device = Libc.open(node.toString(), Linux.O_RDWR);
            Iommufd.bind(device, iommu);
            Iommufd.attach(device, ioas);
            return device;
        } catch (NativeException e) {
            if (device != null) {
                device.close();
            }
            if (e.errno() == Errno.EBUSY || e.errno() == Errno.EINVAL && device != null) {
                throw new DeviceException("claim device", node.toString(), e.errnoName()
                        + ": another process drives it or a member of its group belongs to another driver",
                        "sudo fuser -v " + node + "; bascule bind --group " + address, e);
            }
            throw VfioErrors.of("open device", node.toString(), e);
        }
    }

    @Override
    public IommuInfo info() {
        try {
            Iommufd.Ranges answer = Iommufd.ranges(iommu, ioas);
            List<IommuInfo.Range> ranges = new ArrayList<>();
            for (int i = 0; i + 1 < answer.ranges().length; i += 2) {
                ranges.add(new IommuInfo.Range(answer.ranges()[i], answer.ranges()[i + 1]));
            }
            return new IommuInfo("iommufd", -Math.max(1, answer.alignmentBytes()), ranges, -1, false);
        } catch (NativeException e) {
            throw VfioErrors.of("ask the IOMMU", iommu.name(), e);
        }
    }

    @Override
    public long map(MemorySegment memory, long iova, DmaDirection direction) {
        int flags = Iommufd.MAP_FIXED_IOVA | (direction.allows(false) ? Iommufd.MAP_READABLE : 0)
                | (direction.allows(true) ? Iommufd.MAP_WRITEABLE : 0);
        Iommufd.map(iommu, ioas, memory, iova, flags);
        return iova;
    }

    @Override
    public void unmap(long iova, long lengthBytes) {
        Iommufd.unmap(iommu, ioas, iova, lengthBytes);
    }

    @Override
    public void unmapAll() {
        try {
            Iommufd.unmap(iommu, ioas, 0, Iommufd.UNMAP_ALL);
        } catch (NativeException e) {
            if (e.errno() != Errno.ENOENT) { // nothing was mapped
                throw e;
            }
        }
    }

    @Override
    public List<Fd> groups() {
        return List.of();
    }

    @Override
    public void close() {
        iommu.close(); // takes the address space with it, once the devices are closed
    }
}
