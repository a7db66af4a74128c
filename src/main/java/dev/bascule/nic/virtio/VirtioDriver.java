package dev.bascule.nic.virtio;

import dev.bascule.device.DeviceBacking;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicDriver;

/** Virtio network cards among the drivers of {@link dev.bascule.nic.Nics}. */
public final class VirtioDriver implements NicDriver {
    /** Made by the service loader. */
    public VirtioDriver() {}

    @Override
    public String name() {
        return "virtio";
    }

    @Override
    public boolean drives(int vendorId, int deviceId) {
        return vendorId == VirtioRegisters.VENDOR_ID && deviceId == VirtioRegisters.NET_DEVICE_ID;
    }

    @Override
    public NicAdapter open(DeviceBacking backing) {
        return NicAdapter.ofRings("virtio-net", backing, options -> new VirtioCard(backing));
    }
}
