package dev.bascule.vfio;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.generated.vfio_h;
import dev.bascule.ffi.generated.vfio_pci_dependent_device;
import dev.bascule.ffi.generated.vfio_pci_hot_reset;
import dev.bascule.ffi.generated.vfio_pci_hot_reset_info;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Reset of a whole slot or bus, for devices that cannot be reset by themselves. All devices on it must be ours. */
final class HotReset {
    private static final int MOST_DEVICES = 256;

    /** A device that would be reset too. */
    record Dependent(PciAddress address, int groupOrDevice) {}

    private HotReset() {}

    /** Devices that a hot reset would hit, this one included; empty where the kernel cannot do one. */
    static List<Dependent> dependents(Fd device) {
        long header = vfio_pci_hot_reset_info.layout().byteSize();
        long bytes = header + MOST_DEVICES * vfio_pci_dependent_device.sizeof();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(bytes, 8);
            vfio_pci_hot_reset_info.argsz(info, (int) bytes);
            device.ioctl("VFIO_DEVICE_GET_PCI_HOT_RESET_INFO", vfio_h.VFIO_DEVICE_GET_PCI_HOT_RESET_INFO(), info);
            return parse(info);
        } catch (NativeException e) {
            if (e.errno() == Errno.ENODEV || e.errno() == Errno.ENOTTY || e.errno() == Errno.EINVAL) {
                return List.of();
            }
            throw VfioErrors.of("ask for a hot reset", device.name(), e);
        }
    }

    static List<Dependent> parse(MemorySegment info) {
        long header = vfio_pci_hot_reset_info.layout().byteSize();
        int count = vfio_pci_hot_reset_info.count(info);
        List<Dependent> found = new ArrayList<>();
        for (int i = 0; i < count && header + (i + 1) * vfio_pci_dependent_device.sizeof() <= info.byteSize(); i++) {
            MemorySegment one = info.asSlice(header + i * vfio_pci_dependent_device.sizeof());
            int function = vfio_pci_dependent_device.devfn(one) & 0xff;
            found.add(new Dependent(new PciAddress(vfio_pci_dependent_device.segment(one) & 0xffff,
                    vfio_pci_dependent_device.bus(one) & 0xff, function >>> 3, function & 7),
                    vfio_pci_dependent_device.group_id(one)));
        }
        return found;
    }

    /** Resets slot or bus; {@code groups} prove that we own everything on it (none with iommufd). */
    static void reset(Fd device, List<Fd> groups) {
        List<Dependent> hit = dependents(device);
        if (hit.isEmpty()) {
            throw new DeviceException("reset", device.name(),
                    "the device has no reset of its own, and its slot and bus cannot be reset either",
                    "close the device and open it again; if it hangs, power the machine off and on");
        }
        long header = vfio_pci_hot_reset.layout().byteSize();
        long bytes = header + 4L * groups.size();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment reset = arena.allocate(bytes, 8);
            vfio_pci_hot_reset.argsz(reset, (int) bytes);
            vfio_pci_hot_reset.count(reset, groups.size());
            for (int i = 0; i < groups.size(); i++) {
                reset.set(ValueLayout.JAVA_INT, header + 4L * i, groups.get(i).number());
            }
            device.ioctl("VFIO_DEVICE_PCI_HOT_RESET", vfio_h.VFIO_DEVICE_PCI_HOT_RESET(), reset);
        } catch (NativeException e) {
            throw VfioErrors.of("reset the slot", device.name() + " with "
                    + hit.stream().map(d -> d.address().toString()).toList(), e,
                    "bind and open all devices of the slot in one context");
        }
    }
}
