package dev.bascule.nic.ivshmem;

import dev.bascule.device.DeviceBacking;
import dev.bascule.lab.Lab;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("lab")
class IvshmemLabTest extends IvshmemContract {
    @Override
    protected List<DeviceBacking> openPeers() {
        return List.of(Lab.open(IvshmemRegisters.VENDOR_ID, IvshmemRegisters.DEVICE_ID, 0),
                Lab.open(IvshmemRegisters.VENDOR_ID, IvshmemRegisters.DEVICE_ID, 1));
    }
}
