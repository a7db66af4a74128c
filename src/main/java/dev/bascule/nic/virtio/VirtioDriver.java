package dev.bascule.nic.virtio;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicDriver;
import dev.bascule.nic.NicOptions;

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
        return NicAdapter.ofOnePort(backing, options -> port(backing, options));
    }

    private static Nic port(DeviceBacking backing, NicOptions options) {
        if (options.rxQueues() > 1 || options.txQueues() > 1) {
            throw new DeviceException("open port 0", backing.info().toString(), options.rxQueues() + " receive and "
                    + options.txQueues() + " transmit queues wanted; this driver uses one each way", "open one");
        }
        VirtioNic nic = VirtioNic.open(backing);
        nic.setMaxFrameBytes(Math.min(options.maxFrameBytes(), nic.capabilities().maxFrameBytes()));
        return nic;
    }
}
