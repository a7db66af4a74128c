package dev.bascule.nic.corundum;

import dev.bascule.device.DeviceBacking;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicDriver;

/** Corundum among the drivers of {@link dev.bascule.nic.Nics}. */
public final class CorundumDriver implements NicDriver {
    /** Made by the service loader. */
    public CorundumDriver() {}

    @Override
    public String name() {
        return "corundum";
    }

    @Override
    public boolean drives(int vendorId, int deviceId) {
        return deviceId == MqnicRegisters.DEVICE_ID
                && (vendorId == MqnicRegisters.VENDOR_ID || vendorId == MqnicRegisters.ALTERNATE_VENDOR_ID);
    }

    @Override
    public NicAdapter open(DeviceBacking backing) {
        return CorundumAdapter.over(backing);
    }
}
