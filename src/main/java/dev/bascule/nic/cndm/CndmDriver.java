package dev.bascule.nic.cndm;

import dev.bascule.device.DeviceBacking;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicDriver;

/** Cards with a cndm design among the drivers of {@link dev.bascule.nic.Nics}. */
public final class CndmDriver implements NicDriver {
    /** Made by the service loader. */
    public CndmDriver() {}

    @Override
    public String name() {
        return "cndm";
    }

    @Override
    public boolean drives(int vendorId, int deviceId) {
        return vendorId == CndmRegisters.VENDOR_ID && deviceId == CndmRegisters.DEVICE_ID;
    }

    @Override
    public NicAdapter open(DeviceBacking backing) {
        return NicAdapter.ofRings("cndm", backing, new CndmCard(backing));
    }
}
