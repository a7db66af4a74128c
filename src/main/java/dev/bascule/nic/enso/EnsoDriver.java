package dev.bascule.nic.enso;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicDriver;
import dev.bascule.nic.NicOptions;

/** Ensō among the drivers of {@link dev.bascule.nic.Nics}: as packet queues, {@link EnsoPacketNic}. */
public final class EnsoDriver implements NicDriver {
    /** Made by the service loader. */
    public EnsoDriver() {}

    @Override
    public String name() {
        return "enso";
    }

    @Override
    public boolean drives(int vendorId, int deviceId) {
        return vendorId == EnsoRegisters.VENDOR_ID
                && (deviceId == EnsoRegisters.DEVICE_ID || deviceId == EnsoRegisters.DEVICE_ID_ALTERNATE);
    }

    @Override
    public NicAdapter open(DeviceBacking backing) {
        return open(backing, EnsoConfig.DEFAULT);
    }

    /** Takes over a card whose board has the settings {@code config}, as {@link #open(DeviceBacking)} does. */
    public static NicAdapter open(DeviceBacking backing, EnsoConfig config) {
        return NicAdapter.ofOnePort(backing, options -> port(backing, options, config));
    }

    private static Nic port(DeviceBacking backing, NicOptions options, EnsoConfig config) {
        int pairs = Math.max(options.rxQueues(), options.txQueues());
        if (pairs > EnsoPacketNic.MAX_QUEUES || Integer.bitCount(pairs) != 1) {
            throw new DeviceException("open port 0", backing.info().toString(), pairs + " pairs of queues wanted; the "
                    + "card spreads flows over a power of two up to " + EnsoPacketNic.MAX_QUEUES, "open so many");
        }
        EnsoNic device = EnsoNic.open(backing, config);
        try {
            EnsoPacketNic nic = new EnsoPacketNic(device, pairs, true);
            nic.setMaxFrameBytes(Math.min(options.maxFrameBytes(), nic.capabilities().maxFrameBytes()));
            return nic;
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }
}
