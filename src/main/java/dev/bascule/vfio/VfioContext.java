package dev.bascule.vfio;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Fd;
import dev.bascule.pci.PciAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An IO address space of the kernel with the devices in it, through the interface that the kernel offers. Devices opened
 * from one context share their DMA mappings. Thread-safe, control path; closing it closes the devices.
 */
final class VfioContext implements AutoCloseable {
    private final VfioOptions options;
    private final List<VfioDevice> devices = new ArrayList<>();
    private @Nullable Iommu iommu;
    private @Nullable VfioAddressSpace space;
    private @Nullable KernelFaults faults;
    private boolean closed;

    /** A context without a device; the kernel is asked when the first one is opened. */
    public VfioContext(VfioOptions options) {
        this.options = options;
    }

    /**
     * Opens a device that is bound to vfio-pci.
     *
     * @throws DeviceException saying what is missing and the command that helps
     */
    public synchronized VfioDevice open(PciAddress address) {
        if (closed) {
            throw new IllegalStateException("the VFIO context is closed");
        }
        Iommu reached = iommu;
        if (reached == null) {
            reached = choose(address);
            iommu = reached;
        }
        BarClaims claims = BarClaims.of(options.sysfs().resolve("bus/pci/devices/" + address),
                options.writeCombining());
        Fd fd;
        try {
            fd = reached.attach(address);
        } catch (RuntimeException e) {
            claims.close();
            if (space == null) { // so that another try may choose anew
                reached.close();
                iommu = null;
            }
            throw e;
        }
        try {
            VfioDevice device = VfioDevice.of(this, fd, address, addressSpace(reached, address), reached, claims,
                    options);
            devices.add(device);
            return device;
        } catch (RuntimeException e) {
            claims.close();
            fd.close();
            throw e;
        }
    }

    private Iommu choose(PciAddress address) {
        return switch (options.kernelInterface()) {
            case GROUP -> TypeOneIommu.open(options);
            case CDEV -> IommufdIommu.open(options);
            case NO_IOMMU -> NoIommu.open(options);
            case AUTOMATIC -> options.token() == null && prefersCdev(VfioNodes.of(options), address)
                    ? IommufdIommu.open(options)
                    : TypeOneIommu.open(options);
        };
    }

    /** An ordinary user may have been given the group's node only. */
    private static boolean prefersCdev(VfioNodes nodes, PciAddress address) {
        return nodes.device(address).isPresent() && (nodes.deviceIsOpen(address) || !nodes.groupIsOpen(address));
    }

    private VfioAddressSpace addressSpace(Iommu reached, PciAddress address) {
        KernelFaults watched = faults;
        if (watched == null) {
            watched = KernelFaults.open(options.dev());
            faults = watched;
        }
        watched.watch(address);
        VfioAddressSpace found = space;
        if (found == null) {
            found = new VfioAddressSpace(reached, watched);
            space = found;
        } else {
            found.attached();
        }
        return found;
    }

    void forget(VfioDevice device) {
        synchronized (this) {
            devices.remove(device);
        }
    }

    /** Closes the devices, newest first, then the address space. Twice is harmless. */
    @Override
    public void close() {
        List<VfioDevice> open;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = new ArrayList<>(devices);
        }
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        synchronized (this) {
            if (space != null) {
                space.close();
            }
            if (iommu != null) {
                iommu.close();
            }
        }
    }
}
