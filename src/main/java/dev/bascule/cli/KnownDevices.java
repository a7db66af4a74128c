package dev.bascule.cli;

import dev.bascule.model.smartnic.SmartNicRegisters;
import dev.bascule.nic.corundum.MqnicRegisters;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.nic.enso.EnsoRegisters;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import dev.bascule.nic.virtio.VirtioRegisters;
import dev.bascule.pci.PciDevice;
import java.util.Optional;

/** Which driver of Bascule fits which PCI device. */
final class KnownDevices {
    private KnownDevices() {}

    static Optional<String> driver(PciDevice device) {
        int vendor = device.vendorId();
        int id = device.deviceId();
        if (id == MqnicRegisters.DEVICE_ID
                && (vendor == MqnicRegisters.VENDOR_ID || vendor == MqnicRegisters.ALTERNATE_VENDOR_ID)) {
            return Optional.of("corundum");
        }
        if (vendor == EnsoRegisters.VENDOR_ID
                && (id == EnsoRegisters.DEVICE_ID || id == EnsoRegisters.DEVICE_ID_ALTERNATE)) {
            return Optional.of("enso");
        }
        if (vendor == SmartNicRegisters.VENDOR_ID && id == SmartNicRegisters.DEVICE_ID) {
            return Optional.of("smartnic");
        }
        if (vendor == EduRegisters.VENDOR_ID && id == EduRegisters.DEVICE_ID) {
            return Optional.of("edu");
        }
        if (vendor == IvshmemRegisters.VENDOR_ID && id == IvshmemRegisters.DEVICE_ID) {
            return Optional.of("ivshmem");
        }
        if (vendor == VirtioRegisters.VENDOR_ID && id == VirtioRegisters.NET_DEVICE_ID) {
            return Optional.of("virtio");
        }
        return Optional.empty();
    }
}
