package dev.bascule.doctor;

import dev.bascule.nic.smartnic.SmartNicRegisters;
import dev.bascule.nic.NicDriver;
import dev.bascule.nic.Nics;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import dev.bascule.pci.PciDevice;
import java.util.Optional;

/** Drivers of Bascule and the PCI devices that they fit. */
public final class KnownDevices {
    private KnownDevices() {}

    /** Driver of Bascule's for a function; empty: there is none. */
    public static Optional<String> driver(PciDevice device) {
        return driver(device.vendorId(), device.deviceId());
    }

    /** Driver of Bascule's for these ids; empty: there is none. */
    public static Optional<String> driver(int vendor, int id) {
        if (vendor == SmartNicRegisters.VENDOR_ID && id == SmartNicRegisters.DEVICE_ID) {
            return Optional.of("smartnic");
        }
        if (vendor == EduRegisters.VENDOR_ID && id == EduRegisters.DEVICE_ID) {
            return Optional.of("edu");
        }
        if (vendor == IvshmemRegisters.VENDOR_ID && id == IvshmemRegisters.DEVICE_ID) {
            return Optional.of("ivshmem");
        }
        return Nics.driver(vendor, id).map(NicDriver::name);
    }
}
